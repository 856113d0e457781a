// The turnstile in one process: an arbiter under a lock, and a durable line behind it.
//
// Taking units and appending the promise happen under one lock, so they are atomic. A verdict is
// held back until the promises it rests on are durable: an acceptance rests on its own promise, a
// refusal on the promises that caused it. Within a lane, verdicts are handed over in the order of
// the attempts, so a refusal that rests on nothing may still wait for an earlier verdict.

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
        std::uint64_t backlog_max = 5'000'000;  // promises not yet in the ledger; above it: busy
    };
    struct counts {  // how often each answer was given since start, by its number
        std::array<std::uint64_t, sale::answers + 1> by_answer{};
    };

    // Sets line.on_durable() for itself.
    embedded_turnstile(sale::promise_line& line, options opts);
    ~embedded_turnstile() override;

    // Loads a sale in one step: its terms, the ledger's orders that hold units, the orders that are
    // remembered only for their Idempotency-Keys, and the buyers in a cool-down. conflict: the sale
    // is loaded already.
    result<void> load(const sale::sale& s, std::span<const sale::promise> held,
                      std::span<const sale::promise> spent,
                      std::span<const cooling_buyer> cooling = {});
    // Before the first lane is opened: takes up a promise that was made before a restart and is not
    // in the ledger yet. To be called in the order of the line, after the sale was loaded.
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
    std::mutex mutex_;  // guards arbiter_: the thread that holds it is the one writer
    arbiter arbiter_;
    // The last order number of each batch that was not durable at the latest look, and its place in
    // the line. Numbers grow along the line, so one number tells which promises are durable.
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
