#include "shop/gate_restore.hpp"

#include <boost/unordered/unordered_flat_set.hpp>

#include <fmt/format.h>

#include <chrono>
#include <stdexcept>

#include "base/log.hpp"
#include "base/or_throw.hpp"

namespace floodgate::shop {
namespace {

constexpr std::size_t replay_batch = 50'000;

sale::promise promise_of(const ledger::held_order& o) {
    return {.order = o.no, .sale = o.sale, .buyer = o.buyer, .quantity = o.quantity, .key = o.key};
}

}  // namespace

forgotten_sales restore_gate(ledger::ledger& book, journal::journal& line,
                             gate::embedded_turnstile& gate, restore_point from) {
    const auto sales = or_throw(book.catalogue().sales(), "ledger");
    for (const sale::sale& s : sales)
        if (s.state != sale::sale_state::draft) or_throw(gate.warm_up(s), "gate");
    forgotten_sales over;
    boost::unordered_flat_set<std::int64_t> known;
    for (const sale::sale& s : sales) known.insert(s.id.value);
    for (const sale::sale& s : sales)
        if (s.ends_at + remembered_after_end < from.now) over.insert(s.id);

    std::uint64_t held = 0;
    or_throw(book.orders().for_each_held([&](const ledger::held_order& o) {
        if (over.contains(o.sale)) return;
        gate.restore(promise_of(o), {});
        ++held;
    }),
             "ledger");
    gate.skip_past(or_throw(book.orders().latest_number(), "ledger"));
    // Promised, but put aside: not in the book yet, and no longer in the journal.
    or_throw(
        book.letters().for_each_open([&](const ledger::letter& l) { gate.restore(l.promise, {}); }),
        "ledger");
    or_throw(book.orders().for_each_spent_key([&](const ledger::held_order& o) {
        if (!over.contains(o.sale)) gate.restore_key(promise_of(o));
    }),
             "ledger");

    std::vector<sale::promise> batch;
    sale::sequence at = from.entered;
    do {
        or_throw(line.read(at, replay_batch, batch), "journal");
        for (const sale::promise& p : batch) {
            // Entering it would fail the order of a buyer who was told it is theirs.
            if (!known.contains(p.sale.value))
                throw std::runtime_error(fmt::format(
                    "the journal promises units of sale {}, which is not in the ledger: "
                    "ledger and journal do not belong together",
                    p.sale.value));
            gate.restore(p, {++at.value});
        }
    } while (!batch.empty());
    log::info("shop.gate_restored", "held_orders", held, "queued_promises",
              at.value - from.entered.value);
    return over;
}

}  // namespace floodgate::shop
