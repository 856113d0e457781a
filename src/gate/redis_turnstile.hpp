// The turnstile of a cluster: one script call judges a batch of attempts for one partition, takes
// the units, marks the buyers and appends the promises to the partition's stream, atomically, in
// Redis.
//
// Redis is a filter and a copy; the ledger decides. When a partition's keys are missing, attempts
// are answered `busy` until its keeper (one node at a time) has rebuilt it from the ledger under a
// new epoch.
//
// No lane ever blocks. An attempt that has no verdict after `answer_within` is told `busy` if it
// was never sent: then nothing was promised. If it was sent it is told `undecided`, with the order
// number that holds if Redis has promised it. A second try finds the promise (already_ordered, or
// repeated with the same Idempotency-Key).

#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "gate/turnstile.hpp"
#include "sale/partition.hpp"
#include "store/redis/redis.hpp"

namespace floodgate::gate {

struct redis_turnstile_options {
    std::string name = "fg";  // the prefix of every key
    std::uint32_t partitions = 8;
    std::uint32_t node = 0;  // in order numbers
    milliseconds answer_within{1000};
    std::size_t batch_max = 512;            // attempts in one script call
    std::size_t waiting_max = 200'000;      // attempts in one lane; above it: busy
    std::uint64_t backlog_max = 5'000'000;  // promises of a partition not entered; above it: busy
    milliseconds refusal_max_age{1000};     // how long a refusal may be repeated without asking
    // How long an Idempotency-Key stands for its sale: first while it has no order, then once it
    // has one. The first must be longer than an attempt can take, which is twice answer_within.
    milliseconds key_claimed_for{std::chrono::minutes(2)};
    milliseconds key_kept_for{std::chrono::hours(24 * 7)};
};

// The state of a partition in Redis.
struct partition_state {
    std::uint64_t epoch = 0;     // 0: Redis has no such partition
    bool open = false;           // false: being rebuilt, or to be rebuilt
    std::uint64_t appended = 0;  // promises in this epoch so far
    std::uint64_t entered = 0;   // of these, acknowledged as being in the ledger
};

class redis_turnstile final : public turnstile {
public:
    struct counts {  // how often each answer was given since start, by its number
        std::array<std::uint64_t, sale::answers + 1> by_answer{};
        std::uint64_t calls = 0;            // of the take script
        std::uint64_t unanswered = 0;       // attempts told busy or undecided: no reply in time
        std::uint64_t cached_refusals = 0;  // attempts refused without asking Redis
        std::uint64_t to_release = 0;       // orders whose release waits until Redis answers
    };

    // `lifted` is called, on any thread, when an order of a sale was released through this node, so
    // that the bus can tell the other nodes: what they repeat from memory may be wrong now.
    redis_turnstile(store::redis& redis, redis_turnstile_options options,
                    std::function<void(sale::sale_id)> lifted,
                    const monotonic_clock& clock = machine_time);
    ~redis_turnstile() override;

    std::unique_ptr<lane> open_lane(std::function<void()> wake) override;
    // A missing partition is no error: its rebuild loads the sale.
    result<void> warm_up(const sale::sale& s) override;
    // Also gives store_unavailable while the partition is being rebuilt.
    result<void> forget(const sale::sale& s) override;
    using turnstile::release;
    void release(const returned& r) override;
    void release_all(std::span<const returned> orders) override;
    std::optional<standing> look_up(sale::sale_id sale) override;
    std::vector<std::optional<standing>> look_up_all(std::span<const sale::sale_id> ids) override;
    std::vector<promised> promised_to(sale::user_id buyer) override;
    std::vector<held_unit> held_in(sale::sale_id sale) override;
    result<void> retake(const sale::promise& p) override;

    // Before the first lane is opened: order numbers up to `seen` may be taken. This node may have
    // given them out itself if its clock was set back since.
    void skip_past(sale::order_no seen);
    // To be called when the bus says that units came back at another node.
    void lift(sale::sale_id sale);
    counts read_counts() const;

    // The rest is for the partition's keeper.
    result<partition_state> state_of(sale::partition p);
    // No attempt is accepted until the partition is rebuilt.
    result<void> close(sale::partition p);

    // Rebuilds a partition under `epoch`, which is larger than any before. The order is: begin;
    // then drain the line into the ledger; then load and put_down as often as needed; then open.
    // Each step gives `fenced`, and does nothing, when a keeper with a larger epoch has begun.
    // Units released meanwhile stay released, whether before or after they are put down.
    result<void> begin(sale::partition p, std::uint64_t epoch);  // closes it, forgets its sales
    result<void> load(std::uint64_t epoch, const sale::sale& s);
    // For orders that hold units, and for closed ones remembered for their Idempotency-Keys.
    result<void> put_down(sale::partition p, std::uint64_t epoch,
                          std::span<const sale::promise> held);
    result<void> put_down_keys(sale::partition p, std::uint64_t epoch,
                               std::span<const sale::promise> spent);
    // Puts down the cool-downs of a loaded sale. To be called also when there are none, because a
    // release may have added some before the sale was loaded.
    result<void> put_down_cooling(std::uint64_t epoch, sale::sale_id sale, instant now,
                                  std::span<const cooling_buyer> cooling);
    result<void> open(sale::partition p, std::uint64_t epoch);

private:
    class impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace floodgate::gate
