// One Idempotency-Key is one intent of its buyer, whichever sale it is sent to. In a cluster sales
// lie in different slots of Redis, so no script can see the keys of all of them. An attempt with a
// key therefore claims it for its sale before it is judged: the first claim is granted, and a claim
// for another sale is refused until the first has run out.
//
// A claim without an order lasts for `key_claimed_for`. That is longer than an attempt under the
// key can take, and short enough that refused attempts do not fill Redis. A key that led to an
// order is kept for `key_kept_for`. docs/adr/0018-one-key-one-intent.md has the reasons.
//
// This class is the part of a lane that claims. It gathers keys by their partition and has at most
// one call under way for each partition. Used by one thread.

#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "base/failure_log.hpp"
#include "gate/redis_turnstile.hpp"
#include "gate/take_call.hpp"
#include "store/redis/async_redis.hpp"

namespace floodgate::gate {

class intent_claims {
public:
    enum class outcome : std::uint8_t {
        granted = 1,  // the key stands for the attempt's sale
        refused,      // it stands for another sale
        unanswered,   // the key may have been claimed; the attempt was not judged
    };
    // Called once for every attempt that was added, within redis.turn() or send().
    using listener = std::function<void(const waiting_attempt&, outcome)>;

    intent_claims(store::async_redis& redis, const gate_keys& keys,
                  const redis_turnstile_options& options, listener told);

    // Claims the attempt's key. False: Redis does not answer, and an earlier claim is still trying.
    bool add(const waiting_attempt& a);
    // Keeps the attempt's key for longer, because it has an order or may have one.
    void keep(const sale::attempt& a);
    // Starts the calls for the keys that have gathered. The caller then calls redis.send().
    void send();

private:
    using time = std::chrono::steady_clock::time_point;
    struct call {
        sale::partition at;
        std::vector<waiting_attempt> claims;
        std::vector<sale::attempt> kept;
    };
    struct gathering {
        std::deque<waiting_attempt> claims;
        std::vector<sale::attempt> kept;
        bool under_way = false;
        bool failing = false;  // the latest call failed
    };

    void send_next(sale::partition p);
    void tell_overdue(gathering& at, time now);
    void run(const std::shared_ptr<call>& c, time not_before);
    time deadline_of(const call& c) const;
    void on_done(const std::shared_ptr<call>& c, store::async_redis::outcome what,
                 const store::redis_reply& reply);
    bool on_reply(const call& c, const store::redis_reply& reply);
    void on_failure(const call& c);

    store::async_redis& redis_;
    const gate_keys& keys_;
    const redis_turnstile_options& options_;
    const listener told_;
    std::vector<gathering> partitions_;
    failure_log failures_{log::level::warning, "gate.key_claims"};
};

}  // namespace floodgate::gate
