// A lane of the cluster's turnstile. It gathers attempts by partition and has at most one script
// call under way for each partition; attempts that come in meanwhile go with the next call.

#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "gate/intent_claims.hpp"
#include "gate/redis_turnstile.hpp"
#include "gate/refusal_cache.hpp"
#include "gate/take_call.hpp"
#include "sale/order_number.hpp"
#include "store/redis/async_redis.hpp"

namespace floodgate::gate {

// Order numbers for all lanes of a node. A batch takes its numbers at once.
class shared_numbers {
public:
    explicit shared_numbers(std::uint32_t node) : numbers_(node) {}
    void give(std::vector<waiting_attempt>& to, instant now) {
        const std::lock_guard lock(mutex_);
        for (waiting_attempt& a : to) a.order = numbers_.next(now);
    }
    void skip_past(sale::order_no seen) {
        const std::lock_guard lock(mutex_);
        numbers_.skip_past(seen);
    }

private:
    std::mutex mutex_;
    sale::order_numbers numbers_;
};

// The place of the latest promise that this node has heard of, for each partition.
class heard_places {
public:
    explicit heard_places(std::uint32_t partitions) : at_(partitions) {}
    sale::line_place latest(sale::partition p) const {
        return sale::to_place({at_[p.number].load(std::memory_order_relaxed)});
    }
    void hear(sale::partition p, sale::line_place place) {
        const std::uint64_t fresh = to_sequence(place).value;
        std::uint64_t known = at_[p.number].load(std::memory_order_relaxed);
        while (known < fresh && !at_[p.number].compare_exchange_weak(known, fresh)) {
        }
    }

private:
    std::vector<std::atomic<std::uint64_t>> at_;
};

struct lane_counters {
    std::array<std::atomic<std::uint64_t>, sale::answers + 1> by_answer{};
    std::atomic<std::uint64_t> calls = 0, unanswered = 0, cached_refusals = 0;
};

// What the lanes of a turnstile share.
struct lane_world {
    const redis_turnstile_options& options;
    const gate_keys& keys;
    shared_numbers& numbers;
    refusal_cache& refusals;
    heard_places& places;
    lane_counters& counters;
};

class redis_lane final : public lane {
public:
    redis_lane(const store::redis_options& redis, lane_world world);

    void submit(std::span<const sale::attempt> attempts, instant now) override;
    void collect(std::vector<sale::verdict>& out) override;
    int ready_fd() const override { return redis_.fd(); }

private:
    using time = std::chrono::steady_clock::time_point;
    struct gathering {
        std::deque<waiting_attempt> waiting;
        std::size_t calls = 0;  // under way
        bool failing = false;   // the latest call failed: one call tries, others are told `busy`
    };

    void gather(const sale::attempt& a, instant now, time deadline);
    void enqueue(const sale::attempt& a, time deadline);
    void on_claim(const sale::attempt& a, intent_claims::outcome found);
    // Keeps the keys of a call's attempts that have an order, or may have one.
    void keep_keys(const take_call& call, std::size_t first_verdict);
    void send_waiting();
    void send_next(sale::partition p);
    void send(std::shared_ptr<take_call> call, time not_before);
    void on_done(const std::shared_ptr<take_call>& call, store::async_redis::outcome what,
                 const store::redis_reply& reply);
    void on_reply(const take_call& call, const store::redis_reply& reply);
    void finish(sale::partition p, bool in_vain);
    // The call has ended without verdicts. Its attempts are told `busy` if it certainly was not
    // executed, neither this time nor before; otherwise `undecided`.
    void tell_without_verdicts(const take_call& call, bool perhaps_executed);
    void tell_busy(const sale::attempt& a);
    void count(std::size_t first);
    void complain(sale::partition p, std::string_view about);

    lane_world world_;
    store::async_redis redis_;
    intent_claims claims_;
    bool claims_moved_ = false;  // in this turn, so something may have to be sent
    refusal_cache::view view_;
    std::vector<gathering> partitions_;
    std::vector<sale::verdict> verdicts_;
    std::size_t waiting_ = 0;  // attempts, in all partitions, under way or not
    instant now_{};            // the loop's latest
    time complained_at_{};
};

}  // namespace floodgate::gate
