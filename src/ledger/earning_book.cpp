#include "ledger/earning_book.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "ledger/guarded.hpp"
#include "ledger/id_statement.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {
namespace {

constexpr std::array earning_states{earning_state::owed, earning_state::promised,
                                    earning_state::given, earning_state::gone};

std::optional<earning_state> parse_earning_state(std::string_view word) {
    for (const earning_state s : earning_states)
        if (word == to_text(s)) return s;
    return std::nullopt;
}

constexpr const char* all_columns =
    "SELECT order_no, buyer_id, points, paid_ms, due_ms, state FROM earnings ";

// Empty if its state is none.
std::optional<earning> read_earning(const store::row_cursor& rows) {
    earning e;
    std::string word;
    rows.read(e.order, e.buyer, e.amount, e.paid_at, e.due, word);
    const auto state = parse_earning_state(word);
    if (!state) return std::nullopt;
    e.state = *state;
    return e;
}

void add_due(std::vector<due_earning>& all, store::row_cursor rows) {
    while (rows.next())
        if (const auto e = read_earning(rows)) all.push_back({*e, std::nullopt});
}

void read_orders(store::connection& c, std::vector<due_earning>& all) {
    std::vector<sale::order_no> numbers;
    numbers.reserve(all.size());
    for (const due_earning& e : all) numbers.push_back(e.order);
    std::map<sale::order_no, std::optional<sale::order_state>> states;
    const auto read = [&](store::row_cursor& rows) {
        while (rows.next())
            states[rows.get<sale::order_no>(0)] = sale::parse_order_state(rows.get<std::string>(1));
    };
    ask_for_ids(c, "SELECT order_no, state FROM orders WHERE order_no IN {}", numbers, read);
    for (due_earning& e : all) e.order_is = states[e.order];
}

}  // namespace

const char* to_text(earning_state s) {
    switch (s) {
    case earning_state::owed: return "owed";
    case earning_state::promised: return "promised";
    case earning_state::given: return "given";
    case earning_state::gone: return "gone";
    }
    return "?";
}

// One question for each state, so that the index gives the rows in their order.
result<std::vector<due_earning>> earning_book::due(instant now, std::size_t max) {
    return guarded("earnings.due", [&]() -> result<std::vector<due_earning>> {
        const auto c = db_.reader();
        std::vector<due_earning> all;
        for (const earning_state s : {earning_state::owed, earning_state::promised})
            add_due(all, c->ask(std::string(all_columns) +
                                    "WHERE state = ? AND due_ms <= ? ORDER BY due_ms LIMIT ?",
                                to_text(s), now, max));
        std::ranges::stable_sort(all, {}, &due_earning::due);
        if (all.size() > max) all.resize(max);
        read_orders(*c, all);
        return all;
    });
}

result<std::size_t> earning_book::change(std::span<const earning_change> changes) {
    if (changes.empty()) return std::size_t{0};
    return guarded("earnings.change", [&]() -> result<std::size_t> {
        const auto c = db_.writer();
        store::transaction t(*c, store::access::write);
        const std::string sql =
            update_by_key(*c, "earnings") +
            " SET state = ?, due_ms = ? WHERE order_no = ? AND state = ? AND due_ms = ?";
        std::int64_t changed = 0;
        for (const earning_change& e : changes)
            changed +=
                c->run(sql, to_text(e.state), e.due, e.was.order, to_text(e.was.state), e.was.due);
        t.commit();
        return static_cast<std::size_t>(changed);
    });
}

result<earning> earning_book::find(sale::order_no order) {
    return guarded("earnings.find", [&]() -> result<earning> {
        const auto c = db_.reader();
        auto rows = c->ask(std::string(all_columns) + "WHERE order_no = ?", order);
        if (!rows.next()) return errc::not_found;
        if (const auto e = read_earning(rows)) return *e;
        return errc::corrupt;
    });
}

result<void> earning_book::for_each(const std::function<void(const earning&)>& visit) {
    return guarded_visit("earnings.for_each", [&]() -> result<void> {
        const auto c = db_.reader();
        auto rows = c->ask(std::string(all_columns) + "ORDER BY order_no");
        while (rows.next())
            if (const auto e = read_earning(rows)) visit(*e);
        return {};
    });
}

result<earning_counts> earning_book::count() {
    return guarded("earnings.count", [&]() -> result<earning_counts> {
        const auto c = db_.reader();
        auto rows = c->ask(
            "SELECT state, COUNT(*) FROM earnings WHERE state IN ('owed', 'promised') GROUP BY "
            "state");
        earning_counts counts;
        while (rows.next()) {
            const bool owed = rows.asked().text(0) == to_text(earning_state::owed);
            (owed ? counts.owed : counts.promised) = rows.get<std::int64_t>(1);
        }
        return counts;
    });
}

}  // namespace floodgate::ledger
