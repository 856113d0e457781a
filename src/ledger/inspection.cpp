#include "ledger/inspection.hpp"

#include <fmt/format.h>

#include "store/sql.hpp"

namespace floodgate::ledger {
namespace {

// Collects sentences of one kind, up to the limit.
class finder {
public:
    finder(findings& all, const char* kind) : all_(all), kind_(kind) {}

    void add(std::string sentence) {
        if (found_++ < findings_per_kind_max) all_.push_back(std::move(sentence));
        if (found_ == findings_per_kind_max + 1)
            all_.push_back(fmt::format("{}: and more of this kind", kind_));
    }

private:
    findings& all_;
    const char* kind_;
    std::size_t found_ = 0;
};

// "Holds stock" must be said the same way three times: by the state, by the mark, by the figure.
// The words here are those for which sale::holds_stock is true; `queued` is never stored.
void compare_held(store::connection& c, findings& all) {
    finder trouble(all, "held");
    auto rows = c.ask(
        "SELECT s.id, s.stock, s.held, (SELECT COALESCE(SUM(o.quantity), 0) FROM orders o WHERE "
        "o.sale_id = s.id AND o.state IN ('unpaid', 'paid', 'refunding')) FROM sales s ORDER BY "
        "s.id");
    while (rows.next()) {
        std::int64_t sale = 0, stock = 0, held = 0, counted = 0;
        rows.read(sale, stock, held, counted);
        if (held != counted)
            trouble.add(
                fmt::format("sale {}: held says {}, its orders hold {}", sale, held, counted));
        if (counted > stock)
            trouble.add(
                fmt::format("sale {}: oversold: orders hold {} of {}", sale, counted, stock));
        if (held < 0 || held > stock)
            trouble.add(fmt::format("sale {}: held {} is not within stock {}", sale, held, stock));
    }
}

void look_at_orders(store::connection& c, findings& all) {
    finder marks(all, "mark");
    auto rows = c.ask(
        "SELECT order_no, state, quantity FROM orders WHERE quantity < 1 OR state NOT IN "
        "('unpaid', "
        "'paid', 'refunding', 'refunded', 'closed', 'failed') OR (mark IS NOT NULL AND mark <> 0 "
        "AND mark <> order_no) OR (mark IS NULL AND state IN ('unpaid', 'paid', 'refunding')) OR "
        "(mark IS NOT NULL AND state NOT IN ('unpaid', 'paid', 'refunding')) ORDER BY order_no");
    while (rows.next()) {
        marks.add(fmt::format("order {}: state {}, quantity {} and mark do not agree",
                              rows.get<std::int64_t>(0), rows.get<std::string>(1),
                              rows.get<std::int64_t>(2)));
    }

    finder strays(all, "stray");
    auto stray = c.ask(
        "SELECT o.order_no, o.sale_id FROM orders o LEFT JOIN sales s ON s.id = o.sale_id WHERE "
        "s.id IS NULL AND o.state <> 'failed' ORDER BY o.order_no");
    while (stray.next()) {
        strays.add(fmt::format("order {}: there is no sale {}", stray.get<std::int64_t>(0),
                               stray.get<std::int64_t>(1)));
    }
}

// Against the highest limit the sale has had: a limit that was lowered takes nothing away.
void compare_limits(store::connection& c, findings& all) {
    finder trouble(all, "limit");
    auto rows = c.ask(
        "SELECT o.sale_id, o.buyer_id, SUM(o.quantity), MAX(s.buyer_limit_peak) FROM orders o JOIN "
        "sales s ON s.id = o.sale_id WHERE o.state IN ('unpaid', 'paid', 'refunding') GROUP BY "
        "o.sale_id, o.buyer_id HAVING SUM(o.quantity) > MAX(s.buyer_limit_peak)");
    while (rows.next()) {
        std::int64_t sale = 0, buyer = 0, units = 0, limit = 0;
        rows.read(sale, buyer, units, limit);
        trouble.add(fmt::format("sale {}: buyer {} has {} units, the limit is {}", sale, buyer,
                                units, limit));
    }
}

struct figures {
    std::int64_t stock = 0, held = 0;
    friend bool operator==(const figures&, const figures&) = default;
};

std::string shown(const figures& f) { return fmt::format("stock {} held {}", f.stock, f.held); }

struct sale_now {
    std::int64_t sale = 0;
    figures now;
};

std::vector<sale_now> sales_now(store::connection& c) {
    auto rows = c.ask("SELECT id, stock, held FROM sales ORDER BY id");
    std::vector<sale_now> all;
    while (rows.next()) {
        sale_now& s = all.emplace_back();
        rows.read(s.sale, s.now.stock, s.now.held);
    }
    return all;
}

// Every line starts where the one before it ended: the first from nothing, the last at the sale.
void follow_log(store::connection& c, findings& all) {
    finder trouble(all, "log");
    for (const auto& [sale, now] : sales_now(c)) {
        auto lines = c.ask(
            "SELECT id, stock_before, held_before, stock_after, held_after FROM stock_log WHERE "
            "sale_id = ? ORDER BY id",
            sale);
        figures at;
        while (lines.next()) {
            std::int64_t line = 0;
            figures before, after;
            lines.read(line, before.stock, before.held, after.stock, after.held);
            if (before != at)
                trouble.add(fmt::format("sale {}: log line {} starts from {}, not from {}", sale,
                                        line, shown(before), shown(at)));
            at = after;
        }
        if (at != now)
            trouble.add(fmt::format("sale {}: the log ends at {}, the sale is at {}", sale,
                                    shown(at), shown(now)));
    }
}

}  // namespace

findings inspect(store::connection& c) {
    findings all;
    compare_held(c, all);
    look_at_orders(c, all);
    compare_limits(c, all);
    follow_log(c, all);
    return all;
}

}  // namespace floodgate::ledger
