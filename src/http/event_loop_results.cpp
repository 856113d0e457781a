// How buyers hear of their orders: asked for, waited for, pushed.

#include <boost/asio/post.hpp>
#include <boost/json/serialize.hpp>

#include <limits>

#include "api/failure.hpp"
#include "api/order_api.hpp"
#include "api/order_json.hpp"
#include "api/query.hpp"
#include "base/log.hpp"
#include "http/event_loop.hpp"
#include "http/upgrade.hpp"
#include "sale/order_number.hpp"

namespace floodgate::http {
namespace {

namespace asio = boost::asio;

constexpr std::string_view orders_path = "/api/v1/orders/";
constexpr bounds events{0, std::numeric_limits<std::int64_t>::max()};

// Either what the order is, or why that cannot be said.
struct looked_up {
    std::optional<sale::order_state> state;
    api::reply answer;
};

looked_up look_up(api::services& with, const push::long_polls::question& q, api::language lang) {
    try {
        const auto found = with.orders.find(q.buyer, q.order);
        if (!found) return {std::nullopt, api::failure_reply(found.error(), lang)};
        return {found->state, api::json_reply(200, api::to_json(*found))};
    } catch (const std::exception& e) {
        log::error("edge.handler_failed", "path", orders_path, "error", e.what());
        return {std::nullopt, api::problem_reply(api::problem::internal, lang)};
    }
}

std::optional<push::hello> greeting(api::services& with, sale::user_id buyer,
                                    std::optional<std::int64_t> since, milliseconds heartbeat) {
    try {
        auto made = push::make_hello(with, buyer, since, heartbeat);
        if (made) return std::move(*made);
    } catch (const std::exception& e) {
        log::error("edge.hello_failed", "error", e.what());
    }
    return std::nullopt;
}

}  // namespace

std::uint32_t event_loop::open_box() {
    return mailroom_.open_box(
        {.news =
             [this](std::vector<sale::order_news> news) {
                 asio::post(io_, [this, news = std::move(news)] { hear(news); });
             },
         .replaced =
             [this](std::uint64_t socket) {
                 asio::post(io_, [this, socket] {
                     room_.close(socket, push::close_code::replaced, "replaced");
                 });
             },
         .missed = [this] { asio::post(io_, [this] { room_.send_away(); }); }});
}

void event_loop::hear(const std::vector<sale::order_news>& news) {
    note_time();
    for (const sale::order_news& one : news) {
        answer_polls(polls_.hear(one));
        room_.hear(one);
    }
    if (!batch_.empty()) settle();
}

void event_loop::answer_polls(const std::vector<push::long_polls::answer>& answers) {
    for (const push::long_polls::answer& a : answers)
        if (connection* to = find(a.ticket)) send(*to, {.body = a.body});
}

void event_loop::stop_waiting(connection& who) {
    if (const auto known = polls_.end(who.ticket)) send(who, {.body = known->body});
}

// From memory when it changed lately; otherwise false, and the pool asks gate and ledger. Whatever
// is wrong with the request, the handler there says it.
bool event_loop::handle_order(connection& from, const request& r) {
    const auto no = sale::parse_order_no(r.path.substr(orders_path.size()));
    const auto who = with_.sessions.find(r.token, now_);
    if (!no || !who || !r.body.empty()) return false;
    if (!r.query.empty()) {
        api::call c;
        c.query = r.query;
        const auto wait = api::read_wait(c);
        if (!wait) return false;
        if (wait->time > milliseconds(0))
            return wait_for_order(from, {*no, who->user, wait->status, steady_now_ + wait->time});
    }
    const auto known = with_.recent.find(*no);
    if (!known || known->buyer != who->user) return false;
    send(from, api::json_reply(200, api::to_json(*known)));
    return true;
}

// Listens first, then looks: what happens in between is heard.
bool event_loop::wait_for_order(connection& from, const push::long_polls::question& q) {
    const std::uint64_t poll = stopping_ ? 0 : polls_.begin(from.ticket, q);
    if (poll == 0) return false;
    const auto known = with_.recent.find(q.order);
    if (known && known->buyer == q.buyer) {
        const api::reply now = api::json_reply(200, api::to_json(*known));
        if (polls_.looked_up({from.ticket, now.body}, poll, known->state)) send(from, now);
    } else {
        look_up_for(from, poll, q);
    }
    return true;
}

void event_loop::look_up_for(connection& from, std::uint64_t poll,
                             const push::long_polls::question& q) {
    const std::uint64_t ticket = from.ticket;
    const auto answer = [this, ticket, poll](const looked_up& found) {
        note_time();
        const bool now = found.state
                             ? polls_.looked_up({ticket, found.answer.body}, poll, *found.state)
                             : polls_.withdraw(ticket, poll);
        connection* to = now ? find(ticket) : nullptr;
        if (to) send(*to, found.answer);
        if (!batch_.empty()) settle();
    };
    const bool queued = enqueue_(api::pool::general, [this, answer, q, lang = from.language] {
        asio::post(io_, [answer, found = look_up(with_, q, lang)] { answer(found); });
    });
    if (queued) return;
    polls_.withdraw(ticket, poll);
    send(from, api::problem::busy, {{"retry_after_ms", busy_retry_ms}});
}

void event_loop::handle_socket(connection& from, const request& r) {
    api::call c;
    c.query = r.query;
    c.language = from.language;
    const auto ticket = api::query_value(c, "ticket");
    if (!ticket || ticket->empty()) return send(from, api::problem::unauthenticated);
    const auto since = api::query_number(c, "since", events, -1);
    if (!since) return send(from, api::bad_query(c, "since", events));
    const auto upgrade = read_upgrade(from.head());
    if (!upgrade || from.spoke_ahead())
        return send(from, api::problem::bad_request,
                    {{"detail", "nothing may follow the request before it is answered"}});
    if (const auto no =
            refuse_upgrade(*upgrade, mailroom_.options().sockets.allowed_origins, from.language))
        return send(from, *no);
    if (stopping_) return send(from, api::problem::busy, {{"retry_after_ms", busy_retry_ms}});
    const auto first = *since < 0 ? std::nullopt : since;
    if (with_.tickets.may_block()) return redeem_in_pool(from, *ticket, first);
    const auto buyer = with_.tickets.redeem(*ticket, now_);
    if (!buyer) return send(from, api::problem::unauthenticated);
    open_socket(from, *buyer, *upgrade, first);
}

void event_loop::redeem_in_pool(connection& from, const std::string& ticket,
                                std::optional<std::int64_t> since) {
    const std::uint64_t who = from.ticket;
    from.stop_reading();
    const bool queued = enqueue_(api::pool::general, [this, who, ticket, since, now = now_] {
        asio::post(io_, [this, who, since, buyer = with_.tickets.redeem(ticket, now)] {
            note_time();
            if (connection* to = find(who)) go_on_with_socket(*to, buyer, since);
            if (!batch_.empty()) settle();
        });
    });
    if (!queued) send(from, api::problem::busy, {{"retry_after_ms", busy_retry_ms}});
}

void event_loop::go_on_with_socket(connection& from, std::optional<sale::user_id> buyer,
                                   std::optional<std::int64_t> since) {
    if (!buyer) return send(from, api::problem::unauthenticated);
    if (stopping_) return send(from, api::problem::busy, {{"retry_after_ms", busy_retry_ms}});
    const auto upgrade = read_upgrade(from.head());
    if (!upgrade || from.spoke_ahead())
        return send(from, api::problem::bad_request,
                    {{"detail", "nothing may follow the request before it is answered"}});
    open_socket(from, *buyer, *upgrade, since);
}

void event_loop::open_socket(connection& from, sale::user_id buyer, const upgrade_request& r,
                             std::optional<std::int64_t> since) {
    const std::uint64_t id = room_.reserve(buyer);
    if (id == 0) return send(from, api::problem::busy, {{"retry_after_ms", busy_retry_ms}});
    const auto socket = from.become_socket();
    room_.admit(id, socket, r);
    if (!socket && !from.closed())
        return send(from, api::problem::bad_request,
                    {{"detail", "the request must not be pipelined behind another"}});
    if (!socket) return;
    count(101);
    const bool queued = enqueue_(api::pool::general, [this, id, buyer, since] {
        asio::post(io_,
                   [this, id,
                    first = greeting(with_, buyer, since, mailroom_.options().sockets.heartbeat)] {
                       room_.greet(id, first);
                   });
    });
    if (!queued) room_.greet(id, std::nullopt);
}

}  // namespace floodgate::http
