// Leases over Redis: a lock with an owner and an end for each duty, renewed while this node lives.
//
// This node trusts a lease for nine tenths of its time, counted by its own steady clock from before
// the renewal was sent. So it stops before another node can get the lock, even when Redis is silent
// or this process was stopped for a while.
//
// Keys, each after NAME: `lease:<duty>` has the owner and expires after `lease`; `nodes` is a
// sorted set of owners by the time (Redis' own) at which they last reported.

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
    std::string name = "fg";  // the prefix of every key
    std::uint32_t node = 0;
    milliseconds lease{5000};  // must be longer than two calls to a silent Redis
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
        bool locked = false;                // this node has the lock, as far as it knows
        std::uint64_t number = 0;           // the fencing number, while held
        moment sure_until{};                // this node certainly has the lock until then
        moment seek_after{};                // set after a failed raise
        moment asked_at{};                  // when this node last tried to take it, or left it
        std::optional<periodic_task> hand;  // calls raise, gained and lost
    };

    // Called by the hand's thread.
    next_step work(post& p);
    void take_up(post& p, std::unique_lock<std::mutex>& lock);
    void put_down(post& p, std::unique_lock<std::mutex>& lock);
    void leave(post& p);

    // Called by the keeper's thread, which alone talks to Redis.
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
