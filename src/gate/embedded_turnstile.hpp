// The turnstile in one process: an arbiter under a lock, and a durable line behind it.
//
// Taking units and appending the promise happen under one lock, so they are one act. A verdict is
// held back until what it rests on is durable: an accepted one for its own promise, a refusal for
// the promises that caused it. Refusals that rest on nothing new are told at once.

#pragma once

#include <atomic>
#include <deque>
#include <mutex>

#include "gate/arbiter.hpp"
#include "gate/turnstile.hpp"
#include "sale/promise_line.hpp"

namespace floodgate::gate {

class embedded_turnstile final : public turnstile {
public:
    struct options {
        std::uint32_t node = 0;
        std::uint64_t backlog_max = 5'000'000;  // promises not in the ledger yet; past it: busy
    };
    struct counts {  // how often each answer was given since start, by its number
        std::array<std::uint64_t, sale::answers + 1> by_answer{};
    };

    // Takes over line.on_durable().
    embedded_turnstile(sale::promise_line& line, options opts);
    ~embedded_turnstile() override;

    // A sale that is not loaded, with the ledger's orders that hold units, those that are
    // remembered for their Idempotency-Keys only, and the buyers that have to wait, in one act.
    // conflict: it is loaded.
    result<void> load(const sale::sale& s, std::span<const sale::promise> held,
                      std::span<const sale::promise> spent,
                      std::span<const cooling_buyer> cooling = {});
    // Before the first lane: what was promised before a restart and is not in the ledger yet, in
    // the order of the line. Its sale was loaded.
    void restore(const sale::promise& p, sale::sequence seq);
    void skip_past(sale::order_no seen);

    std::unique_ptr<lane> open_lane(std::function<void()> wake) override;
    result<void> warm_up(const sale::sale& s) override;
    result<void> forget(const sale::sale& s) override;
    using turnstile::release;
    void release(const returned& r) override;
    std::optional<standing> look_up(sale::sale_id sale) override;
    std::vector<promised> promised_to(sale::user_id buyer) override;
    std::vector<held_unit> held_in(sale::sale_id sale) override;
    result<void> retake(const sale::promise& p) override;

    counts read_counts() const;

private:
    class embedded_lane;

    void wake_lanes();
    sale::order_no newest_durable();

    sale::promise_line& line_;
    const options options_;
    std::mutex mutex_;  // guards arbiter_: whoever holds it is the one writer
    arbiter arbiter_;
    // The last order number of each batch that was not durable when last looked at, with its place
    // in the line. Numbers grow along the line, so one number tells which promises are durable.
    struct mark {
        sale::sequence seq;
        sale::order_no order;
    };
    std::deque<mark> marks_;
    sale::order_no newest_durable_{};
    std::array<std::atomic<std::uint64_t>, sale::answers + 1> by_answer_{};
    std::mutex lanes_mutex_;
    std::vector<embedded_lane*> lanes_;
};

}  // namespace floodgate::gate
