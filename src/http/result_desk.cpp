#include "http/result_desk.hpp"

#include <boost/json/object.hpp>

#include "api/failure.hpp"
#include "api/order_json.hpp"
#include "api/ws_api.hpp"
#include "base/log.hpp"

namespace floodgate::http {
namespace {

// Either the state of the order, or why it cannot be told.
struct looked_up {
    std::optional<sale::order_state> state;
    api::reply answer;
};

looked_up look_up(api::services& with, const push::long_polls::question& q, api::language lang) {
    try {
        const auto found = with.orders.find(q.buyer, q.order);
        if (!found) return {std::nullopt, api::failure_reply(found.error(), lang)};
        return {found->state, api::json_reply(200, api::to_json(*found, with.showcase))};
    } catch (const std::exception& e) {
        log::error("http.handler_failed", "path", "/api/v1/orders/{no}", "error", e.what());
        return {std::nullopt, api::problem_reply(api::problem::internal, lang)};
    }
}

std::optional<push::hello> greeting(api::services& with, sale::user_id buyer,
                                    std::optional<std::int64_t> since, milliseconds heartbeat) {
    try {
        auto made = push::make_hello(with, buyer, since, heartbeat);
        if (made) return std::move(*made);
    } catch (const std::exception& e) {
        log::error("http.hello_failed", "error", e.what());
    }
    return std::nullopt;
}

}  // namespace

result_desk::result_desk(api::services& with, push::mailroom& mailroom, const world& w)
    : with_(with),
      mailroom_(mailroom),
      world_(w),
      box_(open_box()),
      polls_(mailroom, box_),
      room_(mailroom, box_),
      access_(with.access.lists()) {}

result_desk::~result_desk() { mailroom_.close_box(box_); }

std::uint32_t result_desk::open_box() {
    loop_tasks& tasks = world_.tasks;
    return mailroom_.open_box(
        {.news =
             [this, &tasks](std::vector<sale::order_news> news) {
                 tasks.post([this, news = std::move(news)] { hear(news); });
             },
         .replaced =
             [this, &tasks](std::uint64_t socket) {
                 tasks.post([this, socket] {
                     room_.close(socket, push::close_code::replaced, "replaced");
                 });
             },
         .missed = [this, &tasks] { tasks.post([this] { room_.send_away(); }); },
         .waited_enough =
             [this, &tasks](connection_id id) {
                 tasks.post([this, id] {
                     if (connection* who = world_.clients.find(id)) stop_waiting(*who);
                 });
             },
         .live =
             [this, &tasks](std::shared_ptr<const std::string> message) {
                 tasks.post([this, message = std::move(message)] { room_.show(message); });
             }});
}

void result_desk::hear(const std::vector<sale::order_news>& news) {
    for (const sale::order_news& one : news) {
        answer_polls(polls_.hear(one));
        room_.hear(one);
    }
}

void result_desk::answer_polls(const std::vector<push::long_polls::answer>& answers) {
    for (const push::long_polls::answer& a : answers)
        if (connection* to = world_.clients.find(a.to)) world_.out.send(*to, {.body = a.body});
}

bool result_desk::stop_waiting(connection& who) {
    const auto known = polls_.end(who.id);
    if (known) world_.out.send(who, {.body = known->body});
    return known.has_value();
}

// Listens first, then looks, so that a change in between is not missed.
bool result_desk::wait_for_order(connection& from, const order_question& asked,
                                 steady::time_point now) {
    const push::long_polls::question q{asked.order, asked.buyer, asked.wait.status,
                                       now + asked.wait.time};
    const std::uint64_t poll = stopping_ ? 0 : polls_.begin(from.id, q);
    if (poll == 0) return false;
    const auto known = with_.recent.find(q.order);
    if (known && known->buyer == q.buyer) {
        const api::reply present = api::json_reply(200, api::to_json(*known, with_.showcase));
        if (polls_.looked_up({from.id, present.body}, poll, known->state))
            world_.out.send(from, present);
    } else {
        look_up_for(from, poll, q);
    }
    return true;
}

void result_desk::look_up_for(connection& from, std::uint64_t poll,
                              const push::long_polls::question& q) {
    const bool queued = world_.tasks.run_in_pool(
        from, api::pool::general,
        [this, q, lang = from.language] { return look_up(with_, q, lang); },
        [this, poll](connection& to, const looked_up& found) {
            const bool answer_now =
                found.state ? polls_.looked_up({to.id, found.answer.body}, poll, *found.state)
                            : polls_.withdraw(to.id, poll);
            if (answer_now) world_.out.send(to, found.answer);
        });
    if (!queued) polls_.withdraw(from.id, poll);
}

std::optional<upgrade_request> result_desk::check_upgrade(connection& from) {
    auto upgrade = read_upgrade(from.head());
    if (!upgrade || from.spoke_ahead()) {
        world_.out.send(from, api::problem::bad_request,
                        {{"detail", "nothing may follow the request before it is answered"}});
        return std::nullopt;
    }
    const auto& origins = mailroom_.options().sockets.allowed_origins;
    if (const auto no = refuse_upgrade(*upgrade, origins, from.language)) {
        world_.out.send(from, *no);
        return std::nullopt;
    }
    if (stopping_) {
        world_.out.send_busy(from);
        return std::nullopt;
    }
    return upgrade;
}

void result_desk::open_socket(connection& from, const socket_question& q, instant now) {
    const auto upgrade = check_upgrade(from);
    if (!upgrade) return;
    if (with_.tickets.may_block()) return redeem_in_pool(from, q, now);
    open_for(from, api::redeem_ticket(with_, q.ticket, now), *upgrade, q);
}

// The client may have sent something meanwhile, and the server may be stopping, so everything is
// checked again.
void result_desk::redeem_in_pool(connection& from, const socket_question& q, instant now) {
    from.stop_reading();
    world_.tasks.run_in_pool(
        from, api::pool::general,
        [this, ticket = q.ticket, now] { return api::redeem_ticket(with_, ticket, now); },
        [this, q](connection& to, const result<std::optional<guard::ticket_holder>>& whose) {
            if (const auto upgrade = check_upgrade(to)) open_for(to, whose, *upgrade, q);
        });
}

bool result_desk::may_look(const sale::token_hash& login) const {
    const auto known = with_.sessions.find(login, with_.clock.now());
    return known && known->standing == sale::standing::full &&
           api::may(known->role, api::access::see);
}

void result_desk::open_for(connection& from,
                           const result<std::optional<guard::ticket_holder>>& redeemed,
                           const upgrade_request& r, const socket_question& q) {
    // 401 would send the buyer to log in again, although the ticket may be good.
    if (!redeemed) return world_.out.send_busy(from);
    const auto& whose = *redeemed;
    if (!whose) {
        with_.events.note(guard::security_event::ticket_refused, q.from, with_.clock.now());
        return world_.out.send(from, api::problem::unauthenticated);
    }
    if (q.live && !may_look(whose->login)) {
        with_.events.note(guard::security_event::role_denied, q.from, with_.clock.now());
        return world_.out.send(from, api::problem::forbidden);
    }
    const std::uint64_t id = room_.reserve(*whose, q.live);
    if (id == 0) return world_.out.send_busy(from);
    const auto socket = from.become_socket(world_.io, room_.for_sockets(), r);
    room_.admit(id, socket);
    if (!socket && !from.closed())
        return world_.out.send(from, api::problem::bad_request,
                               {{"detail", "the request must not be pipelined behind another"}});
    if (!socket) return;
    world_.out.count(101);
    const bool queued = world_.tasks.run_in_pool(
        api::pool::general,
        [this, buyer = whose->user, since = q.since] {
            return greeting(with_, buyer, since, mailroom_.options().sockets.heartbeat);
        },
        [this, id](const std::optional<push::hello>& first) { room_.greet(id, first); });
    if (!queued) room_.greet(id, std::nullopt);
}

void result_desk::tick(steady::time_point now) {
    if (polls_.count() > 0) answer_polls(polls_.overdue(now));
    room_.tick(now);
    room_.end_with_logins(with_.sessions, access_.newest(), with_.clock.now());
}

void result_desk::begin_stop() {
    stopping_ = true;
    room_.close_all();
    answer_polls(polls_.end_all());
}

}  // namespace floodgate::http
