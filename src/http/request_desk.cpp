#include "http/request_desk.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <limits>

#include "api/failure.hpp"
#include "api/ops_api.hpp"
#include "api/order_json.hpp"
#include "api/query.hpp"
#include "api/query_rules.hpp"
#include "api/second_factor_api.hpp"
#include "api/web_pages.hpp"
#include "base/errc.hpp"
#include "guard/tokens.hpp"
#include "http/purchase.hpp"
#include "http/request_asked.hpp"
#include "http/wire.hpp"

namespace floodgate::http {
namespace {

constexpr bounds yes_or_no{0, 1};
constexpr bounds events{0, std::numeric_limits<std::int64_t>::max()};

api::reply no_such_call(const request& r, api::language lang, api::door at) {
    const std::string allowed = api::allowed_verbs(r.path, at);
    if (allowed.empty()) return api::problem_reply(api::problem::not_found, lang);
    api::reply wrong = api::problem_reply(api::problem::method_not_allowed, lang);
    wrong.headers += "Allow: " + allowed + "\r\n";
    return wrong;
}

bool has_right_type(const api::route& route, std::string_view content_type) {
    if (route.takes_messages()) return true;  // the channel's own code looks at it
    return route.takes_file() ? is_file(content_type) : is_json(content_type);
}

}  // namespace

decision request_desk::decide(const request& r, const remote& peer, api::language lang, instant now,
                              searched where) {
    asked a{r, peer, lang, now, where, api::match(r.verb, r.path)};
    if (!a.found.route || !api::is_shown(*a.found.route, door_)) {
        if (auto page = web_page(r)) return *std::move(page);
        return no_such_call(r, lang, door_);
    }
    if (api::is_for_machines(a.found.route->needs)) {
        if (auto refusal = refusal_of_key(a)) return *std::move(refusal);
    } else if (a.found.route->needs_login()) {
        std::optional<sale::token_hash> hash;
        // Hash only texts of the right length, not everything that a client may send.
        if (r.token.size() == guard::token_characters) hash = guard::hash_of(r.token);
        const auto known = hash ? with_.sessions.find(*hash, now) : std::nullopt;
        if (!known) return unknown_login(a, hash);
        a.who = *known;
        a.login = *hash;
        if (auto refusal = refusal_by_standing(a)) return *std::move(refusal);
        if (access_.newest().is_disabled(a.who.user))
            return api::problem_reply(api::problem::account_disabled, lang);
    }
    if (auto refusal = refusal_by_budget(a)) return *std::move(refusal);
    if (!r.query.empty())
        if (auto refusal = api::refusal_of_query(*a.found.route, r.query, lang))
            return *std::move(refusal);
    return follow(a);
}

// Asked only when no call of the API has this path.
std::optional<api::reply> request_desk::web_page(const request& r) const {
    if (!with_.pages || r.verb != api::verb::get) return std::nullopt;
    return with_.pages->answer({r.path, r.accept_encoding, r.if_none_match, door_});
}

std::size_t request_desk::body_room(const request& head, instant now) {
    const api::route* route = api::match(head.verb, head.path).route;
    if (!route) return 0;
    if (!route->needs_login()) return route->body_bytes_max();
    if (api::is_for_machines(route->needs)) {
        if (!guard::looks_like_api_key(head.token)) return 0;
        const auto* key = access_.newest().find_key(guard::hash_of(head.token), now);
        return key && api::may(*key, route->needs) ? route->body_bytes_max() : 0;
    }
    if (head.token.size() != guard::token_characters) return 0;
    if (const auto known = with_.sessions.find(guard::hash_of(head.token), now)) {
        return api::may(known->role, route->needs) ? route->body_bytes_max() : 0;
    }
    // Another node may know the token, but made-up tokens must not fill the memory meanwhile.
    return with_.node.knows_more_logins()
               ? std::min(route->body_bytes_max(), api::short_body_bytes_max)
               : 0;
}

// A body that was thrown away by the rule of body_room() must not be taken for an empty one.
std::optional<api::reply> request_desk::body_fault(const asked& a) {
    const std::size_t most = a.found.route->body_bytes_max();
    if (a.r.body_bytes > most && a.found.route->takes_messages())
        with_.events.note_message("too_long", origin_of(a), a.now);
    if (a.r.body_bytes > most)
        return api::problem_reply(
            api::problem::payload_too_large, a.lang,
            {{"detail", "the body of this call may have " + std::to_string(most) + " bytes"}});
    if (a.r.body.size() >= a.r.body_bytes) return std::nullopt;
    // The token has become known since, so the next try will succeed.
    return api::problem_reply(api::problem::busy, a.lang, {{"retry_after_ms", busy_retry_ms}});
}

decision request_desk::follow(const asked& a) {
    switch (a.found.route->here) {
    case api::on_loop::purchase: return buy(a);
    case api::on_loop::healthz: return api::healthz();
    case api::on_loop::readyz: return with_.operators.readyz(a.now);
    case api::on_loop::metrics: return metrics(a);
    case api::on_loop::openapi: return api::openapi(a.r.if_none_match);
    case api::on_loop::time:
        return api::json_reply(200, {{"now", api::to_iso(a.now)}, {"now_ms", to_ms(a.now)}});
    case api::on_loop::rounds: return show_rounds(a, *newest_pages().rounds);
    case api::on_loop::ended_rounds: return show_rounds(a, *newest_pages().ended);
    case api::on_loop::shop: return show(a, with_.shop);
    case api::on_loop::sale: return show_sale(a);
    case api::on_loop::order: return order(a);
    case api::on_loop::picture: return picture(a);
    case api::on_loop::socket: return socket(a);
    case api::on_loop::no: break;
    }
    return in_pool(a);
}

// Made-up keys are not looked for elsewhere: every node has all keys in memory. Only its length and
// beginning are looked at before a text is hashed.
std::optional<api::reply> request_desk::refusal_of_key(asked& a) {
    if (guard::looks_like_api_key(a.r.token))
        a.key = access_.newest().find_key(guard::hash_of(a.r.token), a.now);
    if (!a.key) {
        if (!a.r.token.empty()) note(guard::security_event::token_refused, a);
        return api::problem_reply(api::problem::unauthenticated, a.lang,
                                  {{"detail", "this call needs an API key"}});
    }
    const auto wait = with_.call_by_key.try_take(static_cast<std::uint64_t>(a.key->id), a.now);
    if (wait != milliseconds(0)) return too_many(a, guard::limit::call_by_key, wait);
    with_.access.note_use(a.key->id, a.now);
    if (api::may(*a.key, a.found.route->needs)) return std::nullopt;
    note(guard::security_event::role_denied, a);
    return api::problem_reply(api::problem::forbidden, a.lang,
                              {{"detail", "this API key lacks the scope for the call"}});
}

// Another node may have issued the token a moment ago. The search counts against the rate limit of
// the address, so that made-up tokens cannot keep the pool and Redis busy.
decision request_desk::unknown_login(const asked& a, const std::optional<sale::token_hash>& hash) {
    if (a.where == searched::in_vain)
        return api::failure_reply(make_error_code(errc::store_unavailable), a.lang);
    const bool worth_asking = hash && a.where == searched::here && with_.node.knows_more_logins() &&
                              !unknown_.contains(*hash, a.now);
    if (!worth_asking) {
        if (!a.r.token.empty()) note(guard::security_event::token_refused, a);
        return api::problem_reply(api::problem::unauthenticated, a.lang);
    }
    if (auto refusal = refusal_by_address(a)) return *std::move(refusal);
    return token_question{*hash};
}

searched request_desk::search_elsewhere(const sale::token_hash& hash, instant now) {
    const auto found = with_.node.find_login(hash, now);
    if (found) return searched::everywhere;
    if (found.error() != errc::not_found) return searched::in_vain;
    unknown_.add(hash, now);
    return searched::everywhere;
}

decision request_desk::buy(const asked& a) {
    // If the token was looked for everywhere, this has counted against the address already.
    if (a.where == searched::here)
        if (auto refusal = refusal_by_address(a)) return *std::move(refusal);
    if (auto refusal = refusal_by_user(a, guard::limit::purchase_by_user, with_.purchase_by_user))
        return *std::move(refusal);
    if (!with_.switches.sales()) return api::problem_reply(api::problem::paused, a.lang);

    if (auto fault = body_fault(a)) return std::move(*fault);
    sale::attempt attempt{.sale = {a.found.id}, .buyer = a.who.user};
    if (const auto fault = read_purchase(a.r, attempt)) return refuse_purchase(*fault, a.lang);
    return attempt;
}

const api::pages& request_desk::newest_pages() {
    if (pages_version_ != with_.showcase.version()) {
        pages_version_ = with_.showcase.version();
        pages_ = with_.showcase.read();
    }
    return *pages_;
}

decision request_desk::show_rounds(const asked& a, const api::rounds_list& list) {
    api::call c;
    c.query = a.r.query;
    c.language = a.lang;
    api::reply refusal;
    const auto window = api::read_rounds_window(c, refusal);
    if (!window) return refusal;
    return api::page_reply(a.r.if_none_match, list.etag(*window),
                           [&] { return list.page(*window); });
}

decision request_desk::show_sale(const asked& a) {
    const api::pages& pages = newest_pages();
    const auto found = pages.sales.find(a.found.id);
    if (found == pages.sales.end()) return api::problem_reply(api::problem::unknown_sale, a.lang);
    return show(a, found->second);
}

decision request_desk::show(const asked& a, const api::page& p) {
    return api::page_reply(a.r.if_none_match, p.etag,
                           [&] { return api::reply{.shared = api::all_of(p.body)}; });
}

// The first client that asks for a page that is too old waits in a pool for a new one.
decision request_desk::metrics(const asked& a) {
    if (with_.operators.claim_metrics(a.now)) return in_pool(a);
    return with_.operators.metrics();
}

// Answers from memory if the order changed lately. The handler reports what is wrong with a
// request.
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
    return api::json_reply(200, api::to_json(*known, *newest_pages().labels));
}

// Reading a picture counts against the rate limit of the address, so that made-up names cannot keep
// the pool and the database busy.
decision request_desk::picture(const asked& a) {
    const auto name = api::parse_picture_name(a.found.name);
    if (!name) return api::problem_reply(api::problem::not_found, a.lang);
    if (auto kept = with_.pictures.find(*name))
        return api::show_picture(*name, std::move(kept), a.r.if_none_match);
    if (auto refusal = refusal_by_address(a)) return *std::move(refusal);
    return in_pool(a);
}

decision request_desk::socket(const asked& a) {
    api::call c;
    c.query = a.r.query;
    c.language = a.lang;
    auto ticket = api::query_value(c, "ticket");
    if (!ticket || ticket->empty())
        return api::problem_reply(api::problem::unauthenticated, a.lang);
    if (ticket->size() != guard::token_characters) {
        note(guard::security_event::ticket_refused, a);
        return api::problem_reply(api::problem::unauthenticated, a.lang);
    }
    const auto since = api::query_number(c, "since", events, -1);
    if (!since) return api::bad_query(c, "since", events);
    const auto live = api::query_number(c, "live", yes_or_no, 0);
    if (!live) return api::bad_query(c, "live", yes_or_no);
    // Made-up tickets must not keep the buyers' pool and Redis busy.
    if (with_.tickets.may_block())
        if (auto refusal = refusal_by_address(a)) return *std::move(refusal);
    return socket_question{std::move(*ticket), *since < 0 ? std::nullopt : since, origin_of(a),
                           *live == 1};
}

decision request_desk::in_pool(const asked& a) {
    if (!a.key && !api::may(a.who.role, a.found.route->needs)) {
        note(guard::security_event::role_denied, a);
        if (!sale::is_staff(a.who.role)) return api::problem_reply(api::problem::forbidden, a.lang);
        pool_job refused = job_for(a);
        refused.work = api::refuse_act;  // in the pool, because it writes to the audit
        refused.first = nullptr;
        refused.where = api::pool::admin;
        refused.call.body.clear();
        return refused;
    }
    if (auto fault = body_fault(a)) return std::move(*fault);
    if (!a.r.body.empty() && !has_right_type(*a.found.route, a.r.content_type))
        return api::problem_reply(api::problem::unsupported_media_type, a.lang);
    return job_for(a);
}

pool_job request_desk::job_for(const asked& a) {
    const remote client = client_of(a);
    api::call c;
    c.path = a.r.path;
    c.query = a.r.query;
    c.ids = a.found.ids();
    c.name = a.found.name;
    c.body = a.r.body;
    c.if_none_match = a.r.if_none_match;
    c.user = a.who.user;
    c.login = a.login;
    c.role = a.who.role;
    c.standing = a.who.standing;
    if (a.key) {
        c.key = a.key->id;
        c.key_name = a.key->name;
    }
    c.client = client.address;
    c.client_is_trusted_proxy = client.is_trusted_proxy;
    c.language = a.lang;
    c.now = a.now;
    if (a.found.route->takes_messages()) {
        const seal_headers& h = a.r.wechat;
        const seal_headers& own = a.r.floodgate;
        c.message = std::make_shared<const api::message_headers>(api::message_headers{
            std::string(a.r.content_type), std::string(h.timestamp), std::string(h.nonce),
            std::string(h.signature), std::string(h.serial), std::string(own.timestamp),
            std::string(own.signature)});
    }
    return {a.found.route->work, a.found.route->first, a.found.route->where, std::move(c)};
}

}  // namespace floodgate::http
