// What the loop does with a request: answer it here, gather it into the batch, or send it to a
// pool.

#include <boost/asio/post.hpp>

#include "api/json_body.hpp"
#include "base/log.hpp"
#include "guard/tokens.hpp"
#include "http/event_loop.hpp"
#include "http/owned_request.hpp"
#include "http/purchase.hpp"

namespace floodgate::http {
namespace {

namespace asio = boost::asio;

boost::json::object retry_after(milliseconds wait) {
    return {{"retry_after_ms", static_cast<std::int64_t>(wait.count())}};
}

api::reply perform(api::handler work, api::services& with, const api::call& c) {
    try {
        return work(with, c);
    } catch (const std::exception& e) {
        log::error("edge.handler_failed", "path", c.path, "error", e.what());
        return api::problem_reply(api::problem::internal, c.language);
    }
}

}  // namespace

void event_loop::handle(connection& from, const request& r) {
    from.language = r.accept_language.empty() ? api::language::en : language_of(r.accept_language);
    if (knows_token_of(r)) return dispatch(from, r);
    ask_fellows(from, r);
}

// A token this node has not heard of may have been given out by another one a moment ago.
bool event_loop::knows_token_of(const request& r) const {
    return !with_.node.knows_more_logins() || r.token.size() != guard::token_characters ||
           with_.sessions.find(r.token, now_);
}

void event_loop::ask_fellows(connection& from, const request& r) {
    const std::uint64_t ticket = from.ticket;
    const bool queued =
        enqueue_(api::pool::general, [this, ticket, kept = owned_request(r), now = now_] {
            // Whoever it finds is in the sessions from then on.
            (void)with_.node.find_login(kept.get().token, now);
            asio::post(io_, [this, ticket, kept] {
                note_time();
                if (connection* to = find(ticket)) dispatch(*to, kept.get());
                if (!batch_.empty()) settle();
            });
        });
    if (!queued) send(from, api::problem::busy, retry_after(milliseconds(busy_retry_ms)));
}

void event_loop::dispatch(connection& from, const request& r) {
    if (r.verb == api::verb::post) {
        if (const auto sale = purchase_path(r.path)) return handle_purchase(from, r, *sale);
    }
    if (r.verb == api::verb::get && handle_here(from, r)) return;
    handle_in_pool(from, r);
}

std::pair<asio::ip::address, bool> event_loop::client_of(const connection& from, const request& r) {
    if (r.forwarded_for.empty()) return {from.peer(), from.peer_is_trusted()};
    const auto client = proxies_.client_of(from.peer(), r.forwarded_for);
    return {client, proxies_.is_trusted(client)};
}

void event_loop::handle_purchase(connection& from, const request& r, std::int64_t sale) {
    const auto who = with_.sessions.find(r.token, now_);
    if (!who) return send(from, api::problem::unauthenticated);
    if (const auto [client, exempt] = client_of(from, r); !exempt) {
        const auto wait = with_.purchase_by_address.try_take(guard::limiter_key(client), now_);
        if (wait > milliseconds(0))
            return send(from, api::problem::too_many_requests, retry_after(wait));
    }
    const auto wait =
        with_.purchase_by_user.try_take(static_cast<std::uint64_t>(who->user.value), now_);
    if (wait > milliseconds(0))
        return send(from, api::problem::too_many_requests, retry_after(wait));

    sale::attempt a{.sale = {sale}, .buyer = who->user, .ticket = from.ticket};
    if (const auto fault = read_purchase(r, a))
        return send(from, refuse_purchase(*fault, from.language));
    batch_.push_back(a);
}

bool event_loop::handle_here(connection& from, const request& r) {
    if (r.path == "/healthz") {
        send(from, {.body = R"({"status":"live"})"});
        return true;
    }
    if (!r.path.starts_with("/api/v1/")) return false;
    const std::string_view rest = r.path.substr(8);
    if (rest == "time") {
        send(from, api::json_reply(200, {{"now", api::to_iso(now_)}, {"now_ms", to_ms(now_)}}));
        return true;
    }
    if (rest.starts_with("orders/")) return handle_order(from, r);
    if (rest == "ws") {
        handle_socket(from, r);
        return true;
    }
    const bool rounds = rest == "rounds";
    const auto sale = rounds ? std::nullopt : sale_path(r.path);
    if (!rounds && !sale) return false;
    if (pages_version_ != with_.showcase.version()) {
        pages_version_ = with_.showcase.version();
        pages_ = with_.showcase.read();
    }
    if (rounds) {
        handle_page(from, r, &pages_->rounds);
    } else {
        const auto found = pages_->sales.find(*sale);
        handle_page(from, r, found == pages_->sales.end() ? nullptr : &found->second);
    }
    return true;
}

void event_loop::handle_page(connection& from, const request& r, const api::page* p) {
    if (!p) return send(from, api::problem::unknown_sale);
    const std::string headers = "ETag: " + p->etag + "\r\nCache-Control: no-cache\r\n";
    if (r.if_none_match.find(p->etag) != std::string_view::npos || r.if_none_match == "*")
        return send(from, {.status = 304, .headers = headers});
    send(from, {.body = p->body, .headers = headers});
}

void event_loop::handle_in_pool(connection& from, const request& r) {
    const api::route_match found = match(r.verb, r.path);
    if (!found.path_known) return send(from, api::problem::not_found);
    if (!found.route || !found.route->work) {
        api::reply wrong = api::problem_reply(api::problem::method_not_allowed, from.language);
        wrong.headers += "Allow: " + found.allow + "\r\n";
        return send(from, wrong);
    }
    api::call c;
    if (found.route->needs != api::access::open) {
        const auto who = with_.sessions.find(r.token, now_);
        if (!who) return send(from, api::problem::unauthenticated);
        if (found.route->needs == api::access::admin && who->role != sale::role::admin)
            return send(from, api::problem::forbidden);
        c.user = who->user;
        c.role = who->role;
    }
    if (!r.body.empty() && !is_json(r.content_type))
        return send(from, api::problem::unsupported_media_type);
    c.path = r.path;
    c.query = r.query;
    c.ids = found.ids;
    c.body = r.body;
    c.if_none_match = r.if_none_match;
    c.token = r.token;
    std::tie(c.client, c.client_is_trusted_proxy) = client_of(from, r);
    c.language = from.language;
    c.now = now_;
    const bool queued = enqueue_(found.route->where, [this, ticket = from.ticket,
                                                      work = found.route->work, c = std::move(c)] {
        asio::post(io_, [this, ticket, done = perform(work, with_, c)] {
            note_time();
            if (connection* to = find(ticket)) send(*to, done);
            if (!batch_.empty()) settle();
        });
    });
    if (!queued) send(from, api::problem::busy, retry_after(milliseconds(busy_retry_ms)));
}

void event_loop::send(connection& to, const api::reply& r) {
    count(r.status);
    bytes_.clear();
    write_reply(bytes_, r,
                {.date = date(), .keep_alive = to.keep_alive(), .head_only = to.head_only});
    to.answer(bytes_);
}

void event_loop::send(connection& to, api::problem p, boost::json::object extra) {
    send(to, api::problem_reply(p, to.language, std::move(extra)));
}

}  // namespace floodgate::http
