#include "points/remote_accounts.hpp"

#include <boost/json/serialize.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "points/wire.hpp"
#include "sale/order_number.hpp"
#include "store/http/http_caller.hpp"

namespace floodgate::points {
namespace {

namespace json = boost::json;

constexpr int done = 200, unauthorized = 401;

std::string without_slash_at_the_end(std::string url) {
    while (url.ends_with('/')) url.pop_back();
    return url;
}

// More than a page makes no difference, and need not fit into JSON's numbers.
std::int64_t page_of(std::size_t wanted) {
    return static_cast<std::int64_t>(std::min(wanted, page_max));
}

}  // namespace

remote_accounts::remote_accounts(place where, store::http_caller& by, const monotonic_clock& clock)
    : where_{without_slash_at_the_end(std::move(where.url)), std::move(where.secret)},
      by_(by),
      clock_(clock) {}

bool remote_accounts::may_ask() {
    const std::lock_guard lock(mutex_);
    if (!silent_) return true;
    const moment now = clock_.now();
    if (now < ask_again_) return false;
    ask_again_ = now + ask_again_after;  // only this call
    return true;
}

void remote_accounts::note_silence(std::string_view why) {
    const std::lock_guard lock(mutex_);
    silent_ = true;
    ask_again_ = clock_.now() + ask_again_after;
    trouble_.failed(why);
}

void remote_accounts::note_failure(std::string_view why) {
    const std::lock_guard lock(mutex_);
    silent_ = false;
    trouble_.failed(why);
}

void remote_accounts::note_success() {
    const std::lock_guard lock(mutex_);
    silent_ = false;
    trouble_.succeeded();
}

// An error of the port, if it is the service that speaks.
boost::system::error_code remote_accounts::error_in(const store::http_answer& a) {
    field_reader fields(a.body);
    const error_form* form = find_error(fields.text("error"));
    if (form != nullptr && form->status == static_cast<unsigned>(a.status)) {
        if (form->code == errc::store_unavailable)
            note_failure("the service cannot reach its database");
        else
            note_success();
        return make_error_code(form->code);
    }
    note_failure(a.status == unauthorized ? "the secret is refused"
                                          : fmt::format("HTTP {}: no points service", a.status));
    return make_error_code(errc::store_unavailable);
}

template <class T, class Read>
result<T> remote_accounts::call(const char* path, const json::object& body, Read read) {
    std::string text = json::serialize(body);
    if (text.size() > request_bytes_max) return errc::invalid;
    if (!may_ask()) return errc::store_unavailable;
    const store::http_answer a = by_.ask({.verb = "POST",
                                          .url = where_.url + path,
                                          .headers = {{"Authorization", "Bearer " + where_.secret},
                                                      {"Content-Type", "application/json"},
                                                      {"User-Agent", "floodgate"}},
                                          .body = std::move(text)});
    if (a.status == 0) {
        note_silence(a.error);
        return errc::store_unavailable;
    }
    if (a.status != done) return error_in(a);
    field_reader fields(a.body);
    if (std::optional<T> value = read(fields)) {
        note_success();
        return std::move(*value);
    }
    note_failure("HTTP 200: no points service");
    return errc::store_unavailable;
}

result<void> remote_accounts::do_it(const char* path, const json::object& body) {
    const auto answer = call<std::monostate>(path, body, [](field_reader& from) {
        return from.is_true("done") ? std::optional(std::monostate()) : std::nullopt;
    });
    if (answer.has_error()) return answer.error();
    return {};
}

result<try_outcome> remote_accounts::try_spend(sale::order_no order, sale::user_id user,
                                               sale::points amount, instant now) {
    return call<try_outcome>(path::try_spend,
                             {{"order_no", sale::to_text(order)},
                              {"user", user.value},
                              {"amount", amount.value},
                              {"now_ms", to_ms(now)}},
                             read_outcome);
}

result<try_outcome> remote_accounts::try_earn(sale::order_no order, sale::user_id user,
                                              sale::points amount, instant now) {
    return call<try_outcome>(path::try_earn,
                             {{"order_no", sale::to_text(order)},
                              {"user", user.value},
                              {"amount", amount.value},
                              {"now_ms", to_ms(now)}},
                             read_outcome);
}

result<void> remote_accounts::confirm(sale::order_no order, kind which, instant now) {
    return do_it(
        path::confirm,
        {{"order_no", sale::to_text(order)}, {"kind", to_text(which)}, {"now_ms", to_ms(now)}});
}

result<void> remote_accounts::cancel(sale::order_no order, kind which, instant now) {
    return do_it(
        path::cancel,
        {{"order_no", sale::to_text(order)}, {"kind", to_text(which)}, {"now_ms", to_ms(now)}});
}

result<void> remote_accounts::give_back(const give_back_request& what, instant now) {
    return do_it(path::give_back, {{"order_no", sale::to_text(what.order)},
                                   {"user", what.user.value},
                                   {"amount", what.amount.value},
                                   {"request", what.request},
                                   {"now_ms", to_ms(now)}});
}

result<void> remote_accounts::grant(const grant_request& what, instant now) {
    return do_it(path::grant, {{"user", what.user.value},
                               {"amount", what.amount.value},
                               {"reason", what.reason},
                               {"by", what.by.value},
                               {"request", what.request},
                               {"now_ms", to_ms(now)}});
}

result<std::optional<try_state>> remote_accounts::state_of(sale::order_no order, kind which) {
    using state = std::optional<try_state>;
    return call<state>(path::state_of,
                       {{"order_no", sale::to_text(order)}, {"kind", to_text(which)}},
                       [](field_reader& from) -> std::optional<state> {
                           const state s = from.optional_state("state");
                           if (!from.is_good()) return std::nullopt;
                           return std::optional<state>(std::in_place, s);
                       });
}

result<balance> remote_accounts::balance_of(sale::user_id user) {
    return call<balance>(path::balance_of, {{"user", user.value}}, read_balance);
}

result<std::vector<log_line>> remote_accounts::history(sale::user_id user, std::int64_t before,
                                                       std::size_t limit) {
    return call<std::vector<log_line>>(
        path::history, {{"user", user.value}, {"before", before}, {"limit", page_of(limit)}},
        read_lines);
}

result<std::vector<open_try>> remote_accounts::open_tries(kind which, instant older_than,
                                                          std::size_t max) {
    return call<std::vector<open_try>>(
        path::open_tries,
        {{"kind", to_text(which)}, {"older_than_ms", to_ms(older_than)}, {"max", page_of(max)}},
        read_tries);
}

}  // namespace floodgate::points
