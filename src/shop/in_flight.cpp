#include "shop/in_flight.hpp"

#include <algorithm>
#include <thread>

namespace floodgate::shop {
namespace {

constexpr std::size_t read_batch = 50'000;
constexpr int durable_tries = 1000;  // a millisecond apart

}  // namespace

void pause_this_thread(milliseconds time) { std::this_thread::sleep_for(time); }

result<void> journal_in_flight::wait_until_durable(sale::sequence end) {
    for (int i = 0; i < durable_tries; ++i) {
        if (line_.durable() >= end) return {};
        pause_(milliseconds(1));
    }
    return make_error_code(errc::store_unavailable);
}

std::uint64_t journal_in_flight::count(const ledger::tally& book) {
    const std::uint64_t end = appended_().value;
    const std::uint64_t entered = book.position().value;
    return end > entered ? end - entered : 0;
}

result<std::vector<sale::order_no>> journal_in_flight::of_sale(sale::sale_id id) {
    if (const auto safe = wait_until_durable(appended_()); !safe) return safe.error();
    const auto position = book_.orders().position();
    if (!position) return position.error();
    std::vector<sale::order_no> out;
    std::vector<sale::promise> batch;
    sale::sequence at = *position;
    do {
        if (const auto read = line_.read(at, read_batch, batch); !read) return read.error();
        for (const sale::promise& p : batch)
            if (p.sale == id) out.push_back(p.order);
        at.value += batch.size();
    } while (!batch.empty());
    std::ranges::sort(out);
    return out;
}

}  // namespace floodgate::shop
