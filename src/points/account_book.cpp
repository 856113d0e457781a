#include "points/account_book.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "points/account_rows.hpp"
#include "points/inspection.hpp"
#include "points/schema.hpp"
#include "sale/shown_text.hpp"
#include "store/sql/guarded.hpp"

namespace floodgate::points {
namespace {

using store::access;
using store::transaction;

constexpr std::string_view failed_event = "points.failed";

template <class Act>
auto guarded(std::string_view name, Act act) {
    return store::guarded({failed_event, name}, act);
}

// Runs `act` in a transaction and commits when it succeeds, also when it had nothing to do.
template <class Act>
auto write(store::database& db, std::string_view name, Act act) {
    return guarded(name, [&] {
        const auto c = db.writer();
        transaction t(*c, access::write);
        auto done = act(*c);
        if (done) t.commit();
        return done;
    });
}

bool is_order(sale::order_no no) { return no.value >= 1 && no.value <= INT64_MAX; }
bool is_user(sale::user_id id) { return id.value >= 1; }
bool is_amount(sale::points p) { return p.value >= 1 && p <= amount_max; }
bool is_grant(sale::points p) {
    return p.value != 0 && p.value >= -amount_max.value && p <= amount_max;
}
bool is_key(std::string_view key) {
    const auto fits = [](char c) { return c > ' ' && c <= '~'; };
    return !key.empty() && key.size() <= key_bytes_max && std::ranges::all_of(key, fits);
}
bool is_reason(std::string_view text) {
    return text.size() <= reason_bytes_max && sale::fault_in_name(text) == sale::text_fault::none;
}

bool has_room(const balance& b, sale::points amount) {
    return b.available.value + b.reserved.value + b.pending.value + amount.value <= total_max.value;
}

event tried(kind k) { return k == kind::spend ? event::spend_tried : event::earn_tried; }
event settled(kind k, try_state as) {
    if (as == try_state::confirmed)
        return k == kind::spend ? event::spend_confirmed : event::earn_confirmed;
    return k == kind::spend ? event::spend_cancelled : event::earn_cancelled;
}

result<try_outcome> tried_before(const try_row& row, sale::user_id user, sale::points amount) {
    if (row.state == try_state::cancelled)
        return try_outcome{try_answer::cancelled_before, row.state};
    if (row.user != user || row.amount != amount) return errc::already_exists;
    return try_outcome{try_answer::already, row.state};
}

result<try_outcome> try_once(store::connection& c, const try_key& key, sale::user_id user,
                             sale::points amount, instant now) {
    if (const auto row = take_try(c, key)) return tried_before(*row, user, amount);
    const account_row account = take_account(c, user);
    if (key.kind == kind::spend && account.has.available < amount)
        return try_outcome{try_answer::not_enough, std::nullopt};
    if (key.kind == kind::earn && !has_room(account.has, amount)) return errc::conflict;
    write_change(c, account, {.what = tried(key.kind), .amount = amount, .order = key.order}, now);
    add_try(c, key, {.user = user, .amount = amount, .state = try_state::open}, now);
    return try_outcome{try_answer::reserved, try_state::open};
}

void settle(store::connection& c, const try_key& key, const try_row& row, try_state as,
            instant now) {
    settle_try(c, key, as, now);
    write_change(c, take_account(c, row.user),
                 {.what = settled(key.kind, as), .amount = row.amount, .order = key.order}, now);
}

result<void> confirm_once(store::connection& c, const try_key& key, instant now) {
    const auto row = take_try(c, key);
    if (!row) return errc::not_found;
    if (row->state == try_state::cancelled) return errc::conflict;
    if (row->state == try_state::open) settle(c, key, *row, try_state::confirmed, now);
    return {};
}

result<void> cancel_once(store::connection& c, const try_key& key, instant now) {
    const auto row = take_try(c, key);
    if (!row) {
        add_try(c, key, {.state = try_state::cancelled}, now);
        return {};
    }
    if (row->state == try_state::confirmed) return errc::conflict;
    if (row->state == try_state::open) settle(c, key, *row, try_state::cancelled, now);
    return {};
}

// A repeated request must say the same as before.
result<void> repeated(const used_request& before, sale::user_id user, sale::points amount) {
    if (before.user != user || before.amount != amount) return errc::already_exists;
    return {};
}

result<void> give_back_once(store::connection& c, const give_back_request& what, instant now) {
    const try_key key{what.order, kind::spend};
    const auto row = take_try(c, key);
    if (!row || row->user != what.user) return errc::not_found;
    if (row->state != try_state::confirmed) return errc::conflict;
    if (const auto before = find_request(c, what.order, what.request))
        return repeated(*before, what.user, what.amount);
    if (what.amount.value > row->amount.value - row->given_back.value) return errc::conflict;
    add_given_back(c, key, what.amount);
    write_change(c, take_account(c, what.user),
                 {.what = event::given_back,
                  .amount = what.amount,
                  .order = what.order,
                  .request = what.request},
                 now);
    return {};
}

result<void> grant_once(store::connection& c, const grant_request& what, instant now) {
    if (const auto before = find_request(c, {}, what.request))
        return repeated(*before, what.user, what.amount);
    const account_row account = take_account(c, what.user);
    if (account.has.available.value + what.amount.value < 0) return errc::conflict;
    if (what.amount.value > 0 && !has_room(account.has, what.amount)) return errc::conflict;
    write_change(c, account,
                 {.what = event::granted,
                  .amount = what.amount,
                  .request = what.request,
                  .reason = what.reason,
                  .by = what.by},
                 now);
    return {};
}

event event_of(const std::string& word) {
    if (const auto e = parse_event(word)) return *e;
    throw store::sql_error(store::sql_failure::corrupt,
                           fmt::format("the log has the event {}", word));
}

}  // namespace

account_book::account_book(store::database& db) : db_(db) { store::migrate(db_, tables()); }

result<try_outcome> account_book::try_spend(sale::order_no order, sale::user_id user,
                                            sale::points amount, instant now) {
    if (!is_order(order) || !is_user(user) || !is_amount(amount)) return errc::invalid;
    return write(db_, "try_spend", [&](store::connection& c) {
        return try_once(c, {order, kind::spend}, user, amount, now);
    });
}

result<try_outcome> account_book::try_earn(sale::order_no order, sale::user_id user,
                                           sale::points amount, instant now) {
    if (!is_order(order) || !is_user(user) || !is_amount(amount)) return errc::invalid;
    return write(db_, "try_earn", [&](store::connection& c) {
        return try_once(c, {order, kind::earn}, user, amount, now);
    });
}

result<void> account_book::confirm(sale::order_no order, kind which, instant now) {
    if (!is_order(order)) return errc::invalid;
    return write(db_, "confirm", [&](store::connection& c) {
        return confirm_once(c, {order, which}, now);
    });
}

result<void> account_book::cancel(sale::order_no order, kind which, instant now) {
    if (!is_order(order)) return errc::invalid;
    return write(db_, "cancel", [&](store::connection& c) {
        return cancel_once(c, {order, which}, now);
    });
}

result<void> account_book::give_back(const give_back_request& what, instant now) {
    if (!is_order(what.order) || !is_user(what.user) || !is_amount(what.amount) ||
        !is_key(what.request))
        return errc::invalid;
    return write(db_, "give_back",
                 [&](store::connection& c) { return give_back_once(c, what, now); });
}

result<void> account_book::grant(const grant_request& what, instant now) {
    if (!is_user(what.user) || !is_user(what.by) || !is_grant(what.amount) ||
        !is_key(what.request) || !is_reason(what.reason))
        return errc::invalid;
    return write(db_, "grant", [&](store::connection& c) { return grant_once(c, what, now); });
}

result<std::optional<try_state>> account_book::state_of(sale::order_no order, kind which) {
    if (!is_order(order)) return errc::invalid;
    return guarded("state_of", [&]() -> result<std::optional<try_state>> {
        const auto c = db_.reader();
        const auto row = find_try(*c, {order, which});
        return row ? std::optional(row->state) : std::nullopt;
    });
}

result<balance> account_book::balance_of(sale::user_id user) {
    if (!is_user(user)) return errc::invalid;
    return guarded("balance_of", [&]() -> result<balance> {
        const auto c = db_.reader();
        auto rows = c->ask(
            "SELECT available, reserved, pending FROM points_accounts WHERE user_id = ?", user);
        balance has;
        if (rows.next()) rows.read(has.available, has.reserved, has.pending);
        return has;
    });
}

result<std::vector<log_line>> account_book::history(sale::user_id user, std::int64_t before,
                                                    std::size_t limit) {
    if (!is_user(user) || before < 0) return errc::invalid;
    return guarded("history", [&]() -> result<std::vector<log_line>> {
        const auto c = db_.reader();
        auto rows = c->ask(
            "SELECT line, event, order_no, available_before, reserved_before, pending_before, "
            "available_after, reserved_after, pending_after, reason, by_user, at_ms FROM "
            "points_log WHERE user_id = ? AND line < ? ORDER BY line DESC LIMIT ?",
            user, before == 0 ? INT64_MAX : before, std::min(limit, page_max));
        std::vector<log_line> lines;
        while (rows.next()) {
            log_line& l = lines.emplace_back();
            std::string word;
            rows.read(l.line, word, l.order, l.before.available, l.before.reserved,
                      l.before.pending, l.after.available, l.after.reserved, l.after.pending,
                      l.reason, l.by, l.at);
            l.what = event_of(word);
        }
        return lines;
    });
}

result<std::vector<open_try>> account_book::open_tries(kind which, instant older_than,
                                                       std::size_t max) {
    return guarded("open_tries", [&]() -> result<std::vector<open_try>> {
        const auto c = db_.reader();
        auto rows = c->ask(
            "SELECT order_no, user_id, points, tried_ms FROM points_tries WHERE kind = ? AND "
            "state = 'open' AND tried_ms < ? ORDER BY tried_ms, order_no LIMIT ?",
            to_text(which), older_than, std::min(max, page_max));
        std::vector<open_try> tries;
        while (rows.next()) {
            open_try& t = tries.emplace_back();
            rows.read(t.order, t.user, t.amount, t.since);
        }
        return tries;
    });
}

result<findings> account_book::check() {
    return guarded("check", [&]() -> result<findings> {
        const auto c = db_.reader();
        const transaction one_view(*c, access::read);
        return inspect(*c);
    });
}

result<void> account_book::for_each_earn(const std::function<void(const tried_earn&)>& visit) {
    return store::guarded_visit({failed_event, "for_each_earn"}, [&]() -> result<void> {
        const auto c = db_.reader();
        auto rows = c->ask(
            "SELECT order_no, user_id, points, state FROM points_tries WHERE kind = 'earn' ORDER "
            "BY order_no");
        while (rows.next()) {
            tried_earn t;
            std::string word;
            rows.read(t.order, t.user, t.amount, word);
            t.state = parse_state(word);
            visit(t);
        }
        return {};
    });
}

}  // namespace floodgate::points
