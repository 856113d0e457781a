// Leases over Redis: a lock with an owner and an end for each duty, renewed while this node lives.
//
// This node believes in a lease for nine tenths of its time, counted by its own steady clock from
// before the renewal was sent. So it lets go before the lock can be another's, also when Redis is
// silent or this process was stopped for a while.
//
// Keys, NAME before each: `lease:<duty>` = owner, gone by itself after `lease`; `nodes`, a sorted
// set of owners by the time (Redis' own) at which they were last heard of.

#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/periodic_task.hpp"
#include "cluster/lease.hpp"
#include "cluster/redis_lock.hpp"

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
    redis_leases(store::redis& redis, redis_leases_options options,
                 const monotonic_clock& clock = machine_time);
    ~redis_leases() override;  // stops

    void seek(duty d, const std::string& group) override;
    void start() override;
    void stop() override;
    bool holds(const std::string& name) const override;
    std::vector<std::string> nodes_alive() const override;

    const std::string& owner() const { return owner_; }  // "NODE-16 random hex digits"

private:
    enum class stage : std::uint8_t { seeking = 1, raising, held, leaving };

    // One duty. All but `what`, `group` and `lock` under mutex_.
    struct post {
        duty what;
        std::string group;
        redis_lock lock;
        stage now = stage::seeking;
        bool locked = false;                // the lock is ours, as far as we know
        std::uint64_t number = 0;           // while held
        moment sure_until{};                // the lock is ours until then
        moment seek_after{};                // after a failed raise
        moment asked_at{};                  // when it was last tried to take it, or left
        std::optional<periodic_task> hand;  // calls raise, gained and lost
    };

    // The hand's.
    next_step work(post& p);
    void take_up(post& p, std::unique_lock<std::mutex>& lock);
    void put_down(post& p, std::unique_lock<std::mutex>& lock);
    void leave(post& p);

    // The keeper's, which alone talks to Redis.
    next_step keep();
    void renew_all();
    void release_idle();
    void report_alive();
    void try_to_seek();
    void share_out();
    void sign_off();

    bool is_held(const post& p) const;
    bool has_idle_lock() const;
    bool wants(const post& p) const;
    std::size_t fair_share(const std::string& group) const;
    std::size_t taken(const std::string& group) const;
    void end();

    std::string key_of(const std::string& what) const { return options_.name + ":" + what; }

    store::redis& redis_;
    const redis_leases_options options_;
    const monotonic_clock& clock_;
    const std::string owner_;
    mutable std::mutex mutex_;
    std::vector<std::unique_ptr<post>> posts_;
    std::vector<std::string> alive_;
    bool started_ = false, stopping_ = false;
    moment renew_at_{}, seek_at_{};  // the keeper's own
    periodic_task keeper_;
};

}  // namespace floodgate::cluster
