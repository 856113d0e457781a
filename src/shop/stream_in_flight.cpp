#include "shop/stream_in_flight.hpp"

namespace floodgate::shop {
namespace {

constexpr std::uint64_t any_number = 1'000'000'000;
constexpr milliseconds wait_at_most{3000};
constexpr milliseconds look_every{20};

}  // namespace

std::uint64_t stream_in_flight::count(const ledger::tally& book) {
    std::uint64_t total = 0;
    for (std::uint32_t n = 0; n < world_.partitions; ++n) {
        const sale::partition p{n};
        const auto gate = world_.state_of(p);
        if (!gate || !gate->open) return any_number;
        const sale::line_place at = sale::to_place(book.position(sale::line_of(p)));
        if (gate->epoch != at.epoch) return any_number;
        if (gate->appended > at.number) total += gate->appended - at.number;
    }
    return total;
}

result<std::vector<sale::order_no>> stream_in_flight::of_sale(sale::sale_id id) {
    const sale::partition p = sale::partition_of(id, world_.partitions);
    const auto gate = world_.state_of(p);
    if (!gate) return gate.error();
    const sale::sequence end = sale::to_sequence({.epoch = gate->epoch, .number = gate->appended});
    const auto deadline = world_.clock.now() + wait_at_most;
    do {
        const auto position = world_.book.orders().position(sale::line_of(p));
        if (!position) return position.error();
        if (*position >= end) return std::vector<sale::order_no>{};
        world_.rest(look_every);
    } while (world_.clock.now() < deadline);
    return make_error_code(errc::store_unavailable);
}

}  // namespace floodgate::shop
