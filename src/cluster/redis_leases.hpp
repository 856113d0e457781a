// Leases over Redis: a lock with an owner and an end for each duty, renewed while this node lives.
//
// This node believes in a lease for nine tenths of its time, counted by its own steady clock from
// before the renewal was sent. So it lets go before the lock can be another's, also when Redis is
// silent or this process was stopped for a while.
//
// Keys, NAME before each: `lease:<duty>` = owner, gone by itself after `lease`; `nodes`, a sorted
// set of owners by the time (Redis' own) at which they were last heard of.

#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cluster/lease.hpp"
#include "store/redis/redis.hpp"

namespace floodgate::cluster {

struct redis_leases_options {
    std::string name = "fg";  // before every key
    std::uint32_t node = 0;
    milliseconds lease{5000};  // more than two silent calls to Redis take
    milliseconds renew_every{lease / 3};
    milliseconds seek_every{500};
};

class redis_leases final : public leases {
public:
    redis_leases(store::redis& redis, redis_leases_options options);
    ~redis_leases() override;  // stops

    void seek(duty d, const std::string& group) override;
    void start() override;
    void stop() override;
    bool holds(const std::string& name) const override;
    std::vector<held_lease> held() const override;
    std::vector<std::string> nodes_alive() const override;

    const std::string& owner() const { return owner_; }  // "NODE-16 random hex digits"
    // For tests: ends as if the process were gone. Nothing is released, nobody is called.
    void vanish();

private:
    using steady = std::chrono::steady_clock;
    enum class stage : std::uint8_t { seeking = 1, raising, held, leaving };

    // One duty. All but `what`, `group` and `key` under mutex_.
    struct post {
        duty what;
        std::string group, key;
        stage now = stage::seeking;
        bool locked = false;            // the lock is ours, as far as we know
        std::uint64_t number = 0;       // while held
        steady::time_point sure_until;  // the lock is ours until then
        steady::time_point seek_after;  // after a failed raise
        steady::time_point asked_at;    // when it was last tried to take it, or left
        std::jthread hand;              // calls raise, gained and lost
    };

    void work(post& p);  // the hand's
    void take_up(post& p, std::unique_lock<std::mutex>& lock);
    void put_down(post& p, std::unique_lock<std::mutex>& lock);

    void keep();  // the keeper's
    void renew();
    void release_idle();
    void report_alive();
    void try_to_seek();
    void share_out();
    bool wants(const post& p, steady::time_point now) const;
    std::size_t fair_share(const std::string& group) const;
    std::size_t taken(const std::string& group) const;
    bool all_idle() const;
    void end();

    std::string key_of(const std::string& what) const { return options_.name + ":" + what; }

    store::redis& redis_;
    const redis_leases_options options_;
    const std::string owner_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::unique_ptr<post>> posts_;
    std::vector<std::string> alive_;
    bool started_ = false, stopping_ = false, vanished_ = false, over_ = false;
    std::jthread keeper_;
};

}  // namespace floodgate::cluster
