#include "http/request_desk.hpp"

#include <boost/json/object.hpp>

#include <limits>

#include "api/failure.hpp"
#include "api/ops_api.hpp"
#include "api/order_json.hpp"
#include "api/query.hpp"
#include "base/errc.hpp"
#include "guard/tokens.hpp"
#include "http/purchase.hpp"

namespace floodgate::http {
namespace {

constexpr bounds events{0, std::numeric_limits<std::int64_t>::max()};

api::reply too_many(api::language lang, milliseconds wait) {
    return api::problem_reply(api::problem::too_many_requests, lang,
                              {{"retry_after_ms", static_cast<std::int64_t>(wait.count())}});
}

api::reply no_such_call(const request& r, api::language lang) {
    const std::string allowed = api::allowed_verbs(r.path);
    if (allowed.empty()) return api::problem_reply(api::problem::not_found, lang);
    api::reply wrong = api::problem_reply(api::problem::method_not_allowed, lang);
    wrong.headers += "Allow: " + allowed + "\r\n";
    return wrong;
}

api::reply page_reply(const request& r, const api::page& p) {
    std::string headers = "ETag: " + p.etag + "\r\nCache-Control: no-cache\r\n";
    if (r.if_none_match.find(p.etag) != std::string_view::npos || r.if_none_match == "*")
        return {.status = 304, .headers = std::move(headers)};
    return {.body = p.body, .headers = std::move(headers)};
}

}  // namespace

// A request on its way through the desk, with what is known of it so far.
struct request_desk::asked {
    const request& r;
    const remote& peer;
    api::language lang;
    instant now;
    searched where;
    api::route_match found;
    guard::identity who{};  // where the route needs a log-in
};

decision request_desk::decide(const request& r, const remote& peer, api::language lang, instant now,
                              searched where) {
    asked a{r, peer, lang, now, where, api::match(r.verb, r.path)};
    if (!a.found.route) return no_such_call(r, lang);
    if (a.found.route->needs_login()) {
        std::optional<sale::token_hash> hash;
        // Do not hash just anything that somebody may put into the header.
        if (r.token.size() == guard::token_characters) hash = guard::hash_of(r.token);
        const auto known = hash ? with_.sessions.find(*hash, now) : std::nullopt;
        if (!known) return unknown_login(a, hash);
        a.who = *known;
    }
    return follow(a);
}

decision request_desk::follow(const asked& a) {
    switch (a.found.route->here) {
    case api::on_loop::purchase: return buy(a);
    case api::on_loop::healthz: return api::healthz();
    case api::on_loop::time:
        return api::json_reply(200, {{"now", api::to_iso(a.now)}, {"now_ms", to_ms(a.now)}});
    case api::on_loop::rounds:
    case api::on_loop::sale: return show(a);
    case api::on_loop::order: return order(a);
    case api::on_loop::socket: return socket(a);
    case api::on_loop::no: break;
    }
    return in_pool(a);
}

// Another node may have given the token out a moment ago. The address pays for the question, so
// that made-up tokens cannot keep the pool and Redis busy.
decision request_desk::unknown_login(const asked& a, const std::optional<sale::token_hash>& hash) {
    if (a.where == searched::in_vain)
        return api::failure_reply(make_error_code(errc::store_unavailable), a.lang);
    const bool worth_asking = hash && a.where == searched::here && with_.node.knows_more_logins() &&
                              !unknown_.contains(*hash, a.now);
    if (!worth_asking) return api::problem_reply(api::problem::unauthenticated, a.lang);
    if (const auto wait = wait_of_address(a); wait > milliseconds(0)) return too_many(a.lang, wait);
    return token_question{*hash};
}

searched request_desk::search_elsewhere(const sale::token_hash& hash, instant now) {
    const auto found = with_.node.find_login(hash, now);
    if (found) return searched::everywhere;
    if (found.error() != errc::not_found) return searched::in_vain;
    unknown_.add(hash, now);
    return searched::everywhere;
}

remote request_desk::client_of(const asked& a) const {
    if (a.r.forwarded_for.empty()) return a.peer;
    const auto client = proxies_.client_of(a.peer.address, a.r.forwarded_for);
    return {client, proxies_.is_trusted(client)};
}

// Zero: go on.
milliseconds request_desk::wait_of_address(const asked& a) {
    const remote client = client_of(a);
    if (client.is_trusted_proxy) return milliseconds(0);
    return with_.purchase_by_address.try_take(guard::limiter_key(client.address), a.now);
}

decision request_desk::buy(const asked& a) {
    // The address has paid already when the token was looked for everywhere.
    if (a.where == searched::here)
        if (const auto wait = wait_of_address(a); wait > milliseconds(0))
            return too_many(a.lang, wait);
    const auto wait =
        with_.purchase_by_user.try_take(static_cast<std::uint64_t>(a.who.user.value), a.now);
    if (wait > milliseconds(0)) return too_many(a.lang, wait);

    sale::attempt attempt{.sale = {a.found.id}, .buyer = a.who.user};
    if (const auto fault = read_purchase(a.r, attempt)) return refuse_purchase(*fault, a.lang);
    return attempt;
}

decision request_desk::show(const asked& a) {
    if (pages_version_ != with_.showcase.version()) {
        pages_version_ = with_.showcase.version();
        pages_ = with_.showcase.read();
    }
    if (a.found.route->here == api::on_loop::rounds) return page_reply(a.r, pages_->rounds);
    const auto found = pages_->sales.find(a.found.id);
    if (found == pages_->sales.end()) return api::problem_reply(api::problem::unknown_sale, a.lang);
    return page_reply(a.r, found->second);
}

// From memory when the order changed lately. The handler says what is wrong with a request.
decision request_desk::order(const asked& a) {
    if (!a.r.body.empty()) return in_pool(a);
    const sale::order_no no{static_cast<std::uint64_t>(a.found.id)};
    if (!a.r.query.empty()) {
        api::call c;
        c.query = a.r.query;
        const auto wait = api::read_wait(c);
        if (!wait) return in_pool(a);
        if (wait->time > milliseconds(0)) return order_question{no, a.who.user, *wait, job_for(a)};
    }
    const auto known = with_.recent.find(no);
    if (!known || known->buyer != a.who.user) return in_pool(a);
    return api::json_reply(200, api::to_json(*known));
}

decision request_desk::socket(const asked& a) {
    api::call c;
    c.query = a.r.query;
    c.language = a.lang;
    auto ticket = api::query_value(c, "ticket");
    if (!ticket || ticket->empty())
        return api::problem_reply(api::problem::unauthenticated, a.lang);
    const auto since = api::query_number(c, "since", events, -1);
    if (!since) return api::bad_query(c, "since", events);
    return socket_question{std::move(*ticket), *since < 0 ? std::nullopt : since};
}

decision request_desk::in_pool(const asked& a) {
    if (a.found.route->needs == api::access::admin && a.who.role != sale::role::admin)
        return api::problem_reply(api::problem::forbidden, a.lang);
    if (!a.r.body.empty() && !is_json(a.r.content_type))
        return api::problem_reply(api::problem::unsupported_media_type, a.lang);
    return job_for(a);
}

pool_job request_desk::job_for(const asked& a) {
    const remote client = client_of(a);
    api::call c;
    c.path = a.r.path;
    c.query = a.r.query;
    c.ids = a.found.ids();
    c.body = a.r.body;
    c.if_none_match = a.r.if_none_match;
    c.token = a.r.token;
    c.user = a.who.user;
    c.role = a.who.role;
    c.client = client.address;
    c.client_is_trusted_proxy = client.is_trusted_proxy;
    c.language = a.lang;
    c.now = a.now;
    return {a.found.route->work, a.found.route->where, std::move(c)};
}

}  // namespace floodgate::http
