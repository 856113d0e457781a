#include "shop/gate_loader.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/log.hpp"
#include "base/or_throw.hpp"

namespace floodgate::shop {
namespace {

constexpr std::size_t replay_batch = 50'000;  // promises

sale::promise promise_of(const ledger::held_order& o) {
    return {.order = o.no, .sale = o.sale, .buyer = o.buyer, .quantity = o.quantity, .key = o.key};
}

// The sales of the ledger, and which of them are already in the gate.
class restored_sales {
public:
    restored_sales(ledger::ledger& book, gate::embedded_turnstile& gate, sale_memory memory)
        : loader_(book, memory), target_(gate) {
        for (const sale::sale& s : or_throw(book.catalogue().sales(), "ledger"))
            known_.emplace(s.id.value, entry{s});
    }

    void load_needed(instant now) {
        for (auto& [id, e] : known_)
            if (or_throw(loader_.needs(e.what, now), "ledger")) load(e, now);
    }

    // A promise that is still in the line needs its sale, however long the sale has been over.
    void expect(sale::sale_id id, instant now) {
        const auto found = known_.find(id.value);
        // Entering the promise would fail the order of a buyer who was told that it was accepted.
        if (found == known_.end())
            throw std::runtime_error(
                fmt::format("the journal promises units of sale {}, which is not in the ledger: "
                            "ledger and journal do not belong together",
                            id.value));
        load(found->second, now);
    }

    std::size_t held_orders() const { return held_orders_; }

private:
    struct entry {
        sale::sale what;
        bool loaded = false;
    };

    void load(entry& e, instant now) {
        if (std::exchange(e.loaded, true)) return;
        held_orders_ += or_throw(loader_.load(e.what, target_, now), "the sales cannot be loaded");
    }

    gate_loader loader_;
    embedded_target target_;
    boost::unordered_flat_map<std::int64_t, entry> known_;
    std::size_t held_orders_ = 0;
};

}  // namespace

result<bool> gate_loader::needs(const sale::sale& s, instant now) {
    if (s.state == sale::sale_state::draft) return false;
    if (!memory_.is_over(s, now)) return true;
    const auto settled = book_.tallies().is_settled(s.id);
    if (!settled) return settled;
    return !*settled;
}

// The cool-downs that the settlement told the gate when the orders were given up.
result<std::vector<gate::cooling_buyer>> gate_loader::cooling_in(sale::sale_id id, instant now) {
    std::vector<gate::cooling_buyer> out;
    if (memory_.cool_down == milliseconds(0)) return out;
    const auto found = book_.moves().given_up_since(id, now - memory_.cool_down);
    if (!found) return found.error();
    // Never longer than a whole cool-down from now, because the clock may have been set back since.
    for (const ledger::giving_up_buyer& b : *found)
        out.push_back({b.buyer, std::min(b.last, now) + memory_.cool_down});
    std::ranges::sort(out, {}, &gate::cooling_buyer::until);
    return out;
}

result<std::size_t> gate_loader::load(const sale::sale& s, gate_target& into, instant now) {
    gate_target::contents with{.now = now};
    if (auto read = book_.tallies().for_each_held(
            s.id, [&](const ledger::held_order& o) { with.held.push_back(promise_of(o)); });
        !read)
        return read.error();
    if (auto read = book_.orders().for_each_spent_key(
            s.id, [&](const ledger::held_order& o) { with.spent.push_back(promise_of(o)); });
        !read)
        return read.error();
    auto cooling = cooling_in(s.id, now);
    if (!cooling) return cooling.error();
    with.cooling = std::move(*cooling);
    const auto terms = book_.catalogue().find_sale(s.id);
    if (!terms) return terms.error();
    if (auto taken = into.take_over(*terms, with); !taken) return taken.error();
    return with.held.size();
}

result<void> partition_target::take_over(const sale::sale& s, const contents& with) {
    if (auto loaded = gate_.load(epoch_, s); !loaded) return loaded;
    if (auto put = gate_.put_down(partition_, epoch_, with.held); !put) return put;
    if (auto put = gate_.put_down_keys(partition_, epoch_, with.spent); !put) return put;
    return gate_.put_down_cooling(epoch_, s.id, with.now, with.cooling);
}

void restore_gate(ledger::ledger& book, journal::journal& line, gate::embedded_turnstile& gate,
                  restore_point from, sale_memory memory) {
    restored_sales sales(book, gate, memory);
    sales.load_needed(from.now);
    gate.skip_past(or_throw(book.orders().latest_number(), "ledger"));

    std::vector<sale::promise> batch;
    sale::sequence at = from.entered;
    do {
        or_throw(line.read(at, replay_batch, batch), "journal");
        for (const sale::promise& p : batch) {
            sales.expect(p.sale, from.now);
            gate.restore(p, {++at.value});
        }
    } while (!batch.empty());
    log::info("shop.gate_restored", "held_orders", sales.held_orders(), "queued_promises",
              at.value - from.entered.value);
}

}  // namespace floodgate::shop
