// For the clerk's tests: a line, a book and a gate in memory that fail when told to.

#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <vector>

#include "clerk/ports.hpp"
#include "gate/memory_gate.hpp"
#include "shop/silent_node.hpp"

namespace floodgate::clerk {

using gate::memory_gate;

inline constexpr instant noon{milliseconds(1'800'000'000'000)};
inline constexpr milliseconds pay_within{600'000};

inline sale::promise promise_number(std::uint64_t n) {
    sale::promise p;
    p.order = {1000 + n};
    p.sale = {7};
    p.buyer = {static_cast<std::int64_t>(n)};
    p.quantity = 2;
    p.unit_price = {9900};
    p.unit_points = {50};
    p.at = noon + milliseconds(static_cast<std::int64_t>(n));
    return p;
}

struct memory_source final : sale::promise_source {
    std::mutex mutex;
    std::vector<sale::promise> line;
    std::atomic<std::uint64_t> last{0};
    std::atomic<std::uint64_t> forgotten{0};
    std::atomic<bool> corrupt{false}, unavailable{false};
    std::function<void()> before_look;  // at the end of the line

    void append(std::uint64_t count) {
        const std::lock_guard lock(mutex);
        for (std::uint64_t i = 0; i < count; ++i) line.push_back(promise_number(line.size() + 1));
        last = line.size();
    }
    result<void> read(sale::sequence after, std::size_t max,
                      std::vector<sale::promise>& out) override {
        const std::lock_guard lock(mutex);
        out.clear();
        if (corrupt) return make_error_code(errc::corrupt);
        if (unavailable) return make_error_code(errc::store_unavailable);
        const std::size_t count = std::min<std::size_t>(max, line.size() - after.value);
        const auto first = line.begin() + static_cast<std::ptrdiff_t>(after.value);
        out.assign(first, first + static_cast<std::ptrdiff_t>(count));
        return {};
    }
    void entered(sale::sequence position) override { forgotten = position.value; }
    sale::sequence durable() const override {
        if (before_look) before_look();
        return {last};
    }
};

// Hands the news to the test.
class telling_node final : public shop::silent_node {
public:
    explicit telling_node(sale::tell_news told) : told_(std::move(told)) {}
    void tell(std::span<const sale::order_news> news) override { told_(news); }

private:
    const sale::tell_news told_;
};

// Like the ledger, it takes a batch together with its position, or nothing of it.
struct memory_sink final : order_sink {
    std::mutex mutex;
    std::vector<sale::order_no> orders;
    std::uint64_t position = 0;
    std::vector<std::size_t> batches;  // the size of every try
    std::atomic<int> failures_left{0};
    std::function<bool(const sale::promise&)> refuses;
    std::function<bool(const sale::promise&)> rejects, jams;  // batches with such a promise fail
    std::atomic<bool> away{false};                            // the ledger cannot be reached
    std::vector<sale::order_no> failed;
    struct letter {
        sale::promise promise;
        ledger::setback why;
    };
    std::vector<letter> letters;
    std::function<void()> meanwhile;  // what happens while a batch is being entered
    std::atomic<bool> others_wait{false};
    std::atomic<int> overseen{0};  // how often the clerk asked whether others wait

    bool holds_others_up() override {
        ++overseen;
        return others_wait;
    }

    result<ledger::entry_report> enter(std::span<const sale::promise> batch,
                                       sale::sequence last) override {
        if (meanwhile) meanwhile();
        const std::lock_guard lock(mutex);
        batches.push_back(batch.size());
        if (failures_left > 0) {
            --failures_left;
            return make_error_code(errc::store_unavailable);
        }
        if (away || any(batch, jams)) return make_error_code(errc::store_unavailable);
        if (any(batch, rejects)) return make_error_code(errc::rejected);
        ledger::entry_report report;
        if (last.value <= position) {
            report.known = batch.size();
            return report;
        }
        for (const sale::promise& p : batch) {
            sale::order& o = report.orders.emplace_back(sale::order_from(p));
            o.state = sale::order_state::unpaid;
            o.pay_by = p.at + pay_within;
            if (refuses && refuses(p)) {
                o.state = sale::order_state::failed;
                o.reason = "no_stock";
                ++report.refused;
                failed.push_back(p.order);
            } else {
                orders.push_back(p.order);
            }
        }
        report.entered = batch.size() - report.refused;
        position = last.value;
        return report;
    }
    result<void> put_aside(const sale::promise& p, sale::sequence last,
                           const ledger::setback& why) override {
        const std::lock_guard lock(mutex);
        if (away) return make_error_code(errc::store_unavailable);
        letters.push_back({p, why});
        position = last.value;
        return {};
    }
    result<void> probe() override {
        if (away || failures_left > 0) return make_error_code(errc::store_unavailable);
        return {};
    }
    result<sale::order> find(sale::order_no no) override {
        const std::lock_guard lock(mutex);
        sale::order o;
        o.no = no;
        const auto among = [&](const auto& all) { return std::ranges::count(all, no) > 0; };
        if (among(orders))
            o.state = sale::order_state::unpaid;
        else if (among(failed))
            o.state = sale::order_state::failed;
        else
            return make_error_code(errc::not_found);
        return o;
    }
    std::size_t count() {
        const std::lock_guard lock(mutex);
        return orders.size();
    }

private:
    static bool any(std::span<const sale::promise> batch,
                    const std::function<bool(const sale::promise&)>& such) {
        return such && std::ranges::any_of(batch, such);
    }
};

}  // namespace floodgate::clerk
