#include "points/service.hpp"

#include <boost/json/serialize.hpp>

#include <openssl/crypto.h>

#include <algorithm>
#include <array>

#include "points/wire.hpp"

namespace floodgate::points {
namespace {

namespace json = boost::json;

using said = result<json::object>;

template <class T>
said said_of(const result<T>& r) {
    if (r.has_error()) return r.error();
    return to_json(*r);
}
said said_of(const result<void>& r) {
    if (r.has_error()) return r.error();
    return json::object{{"done", true}};
}

// Each reads its fields and, if they are good, makes its call. The caller of these tells a fault.

using caller = said (*)(accounts&, field_reader&);

bool all_read(field_reader& in) {
    in.refuse_unknown();
    return in.is_good();
}

struct try_fields {
    sale::order_no order;
    sale::user_id user;
    sale::points amount;
    instant now;
};

try_fields read_try(field_reader& in) {
    return {.order = in.order("order_no"),
            .user = {in.integer("user")},
            .amount = {in.integer("amount")},
            .now = from_ms(in.integer("now_ms"))};
}

said try_spend(accounts& book, field_reader& in) {
    const try_fields f = read_try(in);
    if (!all_read(in)) return errc::invalid;
    return said_of(book.try_spend(f.order, f.user, f.amount, f.now));
}

said try_earn(accounts& book, field_reader& in) {
    const try_fields f = read_try(in);
    if (!all_read(in)) return errc::invalid;
    return said_of(book.try_earn(f.order, f.user, f.amount, f.now));
}

said confirm(accounts& book, field_reader& in) {
    const auto order = in.order("order_no");
    const kind which = in.kind("kind");
    const instant now = from_ms(in.integer("now_ms"));
    if (!all_read(in)) return errc::invalid;
    return said_of(book.confirm(order, which, now));
}

said cancel(accounts& book, field_reader& in) {
    const auto order = in.order("order_no");
    const kind which = in.kind("kind");
    const instant now = from_ms(in.integer("now_ms"));
    if (!all_read(in)) return errc::invalid;
    return said_of(book.cancel(order, which, now));
}

said give_back(accounts& book, field_reader& in) {
    const give_back_request what{.order = in.order("order_no"),
                                 .user = {in.integer("user")},
                                 .amount = {in.integer("amount")},
                                 .request = in.text("request")};
    const instant now = from_ms(in.integer("now_ms"));
    if (!all_read(in)) return errc::invalid;
    return said_of(book.give_back(what, now));
}

said grant(accounts& book, field_reader& in) {
    const grant_request what{.user = {in.integer("user")},
                             .amount = {in.integer("amount")},
                             .reason = in.text("reason"),
                             .by = {in.integer("by")},
                             .request = in.text("request")};
    const instant now = from_ms(in.integer("now_ms"));
    if (!all_read(in)) return errc::invalid;
    return said_of(book.grant(what, now));
}

said state_of(accounts& book, field_reader& in) {
    const auto order = in.order("order_no");
    const kind which = in.kind("kind");
    if (!all_read(in)) return errc::invalid;
    return said_of(book.state_of(order, which));
}

said balance_of(accounts& book, field_reader& in) {
    const sale::user_id user{in.integer("user")};
    if (!all_read(in)) return errc::invalid;
    return said_of(book.balance_of(user));
}

// Below zero is none: the port counts in unsigned numbers.
std::size_t size_in(field_reader& in, std::string_view name) {
    return static_cast<std::size_t>(std::max<std::int64_t>(0, in.integer(name)));
}

said history(accounts& book, field_reader& in) {
    const sale::user_id user{in.integer("user")};
    const std::int64_t before = in.integer("before");
    const std::size_t limit = size_in(in, "limit");
    if (!all_read(in)) return errc::invalid;
    return said_of(book.history(user, before, limit));
}

said open_tries(accounts& book, field_reader& in) {
    const kind which = in.kind("kind");
    const instant older_than = from_ms(in.integer("older_than_ms"));
    const std::size_t max = size_in(in, "max");
    if (!all_read(in)) return errc::invalid;
    return said_of(book.open_tries(which, older_than, max));
}

struct route {
    std::string_view path;
    caller call;
};
constexpr std::array routes{
    route{path::try_spend, try_spend}, route{path::try_earn, try_earn},
    route{path::confirm, confirm},     route{path::cancel, cancel},
    route{path::give_back, give_back}, route{path::grant, grant},
    route{path::state_of, state_of},   route{path::balance_of, balance_of},
    route{path::history, history},     route{path::open_tries, open_tries},
};

service_response refuse(unsigned status, std::string_view word, std::string_view detail = {}) {
    json::object body{{"error", word}};
    if (!detail.empty()) body["detail"] = detail;
    return {.status = status, .body = json::serialize(body)};
}

}  // namespace

bool service::knows_secret(std::string_view authorization) const {
    constexpr std::string_view scheme = "Bearer ";
    if (!authorization.starts_with(scheme)) return false;
    const std::string_view given = authorization.substr(scheme.size());
    // In a time that tells nothing of where they differ. The length is no secret.
    return given.size() == secret_.size() &&
           CRYPTO_memcmp(given.data(), secret_.data(), secret_.size()) == 0;
}

service_response service::answer(const service_request& r) const {
    if (!knows_secret(r.authorization)) {
        service_response refused = refuse(401, "unauthorized");
        refused.headers.emplace_back("WWW-Authenticate", "Bearer");
        return refused;
    }
    const auto* const found = std::ranges::find(routes, r.path, &route::path);
    if (found == routes.end()) return refuse(404, "no_such_path");
    if (r.verb != "POST") {
        service_response refused = refuse(405, "wrong_method");
        refused.headers.emplace_back("Allow", "POST");
        return refused;
    }
    field_reader fields(r.body);
    const said answer = found->call(book_, fields);
    if (answer) return {.status = 200, .body = json::serialize(*answer)};
    const error_form& form = form_of(answer.error());
    return refuse(form.status, form.word, fields.fault());
}

}  // namespace floodgate::points
