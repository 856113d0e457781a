#include "http/event_loop.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <unistd.h>
#include <utility>

#include "base/log.hpp"
#include "base/random_id.hpp"
#include "base/thread.hpp"
#include "http/owned_request.hpp"
#include "http/repeated_purchase.hpp"

namespace floodgate::http {
namespace {

namespace asio = boost::asio;

constexpr auto tick_time = std::chrono::milliseconds(250);

// When the server stops: how long WebSockets may take to close; and how long after that, or after
// connections were cut off, the loop still waits for those that should be gone.
constexpr auto socket_goodbye_time = std::chrono::seconds(1);
constexpr auto last_patience = std::chrono::seconds(1);

// Where a handler threw.
struct place {
    std::string path;
    api::language language;
};

template <class Work>
auto safely(const place& p, const Work& work) -> decltype(work()) {
    try {
        return work();
    } catch (const std::exception& e) {
        log::error("http.handler_failed", "path", p.path, "error", e.what());
        return api::problem_reply(api::problem::internal, p.language);
    }
}

api::first_answer perform(api::services& with, const pool_job& job, const std::string& request) {
    const log::request_scope scope(request);
    return safely({job.call.path, job.call.language}, [&]() -> api::first_answer {
        if (job.first) return job.first(with, job.call);
        return job.work(with, job.call);
    });
}

}  // namespace

event_loop::event_loop(const world& w, const loop_options& options)
    : with_(w.with),
      cors_(options.cors_origins),
      out_(options.fixed_lines),
      connections_(
          io_, options, out_, {w.proxies, w.clients, w.tls},
          {.progress = [this](connection& c) { turn([&] { serve(c); }); },
           .closed = [this](connection_id id) { results_.forget(id); },
           .body_bytes_wanted = [this](const request& r) { return desk_.body_room(r, now_); }}),
      sockets_ready_(io_, dup(connections_.poller().native_handle())),
      batch_(w.with.turnstile, [this] { asio::post(io_, [this] { turn([this] { settle(); }); }); }),
      tasks_(io_, w.pools, connections_, out_,
             [this](const std::function<void()>& work) { turn(work); }),
      desk_(w.with, w.proxies, w.unknown,
            options.hides_operators_calls ? api::door::no_operators : api::door::everything),
      results_(w.with, w.mailroom, {io_, connections_, out_, tasks_}) {
    if (batch_.ready_fd() >= 0) gate_ready_.assign(dup(batch_.ready_fd()));
    note_time();
}

void event_loop::run() {
    name_thread("loop");
    ask_for_short_slices();
    wait_for_sockets();
    if (gate_ready_.is_open()) wait_for_gate();
    tick();
    io_.run();
}

void event_loop::note_time() {
    now_ = with_.clock.now();
    out_.set_time(now_);
    connections_.now = steady::now();
}

// Everything that the loop does happens in a turn, whatever woke it.
template <class Work>
void event_loop::turn(Work&& work) {
    note_time();
    work();
    finish_turn();
}

// After an answer, the connection's next pipelined request may be another attempt to buy. It is
// judged in the same turn.
void event_loop::finish_turn() {
    while (connections_.has_more() || !batch_.empty()) {
        connections_.serve_more([this](connection& c) { serve(c); });
        if (!batch_.empty()) settle();
    }
    connections_.free_closed();
}

void event_loop::wait_for_sockets() {
    sockets_ready_.async_wait(asio::posix::stream_descriptor::wait_read,
                              [this](const boost::system::error_code& error) {
                                  if (error) return;
                                  turn([this] { read_sockets(); });
                                  wait_for_sockets();
                              });
}

void event_loop::wait_for_gate() {
    gate_ready_.async_wait(asio::posix::stream_descriptor::wait_read,
                           [this](const boost::system::error_code& error) {
                               if (error) return;
                               turn([this] { settle(); });
                               wait_for_gate();
                           });
}

void event_loop::read_sockets() {
    for (const socket_poller::event& e : connections_.poller().poll()) {
        connection* who = connections_.find(e.id);
        if (!who) continue;
        who->on_ready(e.readable, e.writable);
        serve(*who);
    }
}

// A buyer who has hung up gets no answer, but the promise still stands.
void event_loop::settle() {
    steady::time_point told{};  // one look at the clock for all of them
    batch_.settle(now_, [&](const sale::verdict& v) {
        if (connection* who = connections_.find(v.reply_to)) {
            if (told == steady::time_point{}) told = steady::now();
            decisions_.add(told - who->bought_at);
            tell(*who, v);
        } else {
            out_.count(status_of(v.what));
        }
    });
}

void event_loop::tell(connection& to, const sale::verdict& v) {
    if (v.what != sale::answer::repeated) return out_.send(to, v);
    if (const auto known = find_repeat(with_, v)) return out_.send(to, *known);
    const bool queued = tasks_.run_in_pool(
        api::pool::general, [this, v] { return look_up_repeat(with_, v); },
        [this, v](const std::optional<api::reply>& found) {
            connection* who = connections_.find(v.reply_to);
            if (who && found) return out_.send(*who, *found);
            if (who) out_.send(*who, undecided_repeat(v));
        });
    if (!queued) out_.send(to, undecided_repeat(v));
}

// Takes requests until one has to wait for its answer, or no whole one is left.
void event_loop::serve(connection& c) {
    do {
        while (const request* r = c.next()) {
            c.language =
                r->accept_language.empty() ? api::language::en : language_of(r->accept_language);
            c.request_id = r->request_id;  // usually empty: nothing is allocated
            if (cors_.is_on() && answered_as_preflight(c, *r)) continue;
            handle(c, *r, searched::here);
        }
    } while (c.gave_up() && results_.stop_waiting(c));
}

// Notes what the answer has to say to the page's browser. Only called while CORS is on.
bool event_loop::answered_as_preflight(connection& from, const request& r) {
    from.cors = cors_.lines_for(r.origin);
    if (!r.is_options || from.cors.empty()) return false;
    const std::string verbs = api::allowed_verbs(r.path);
    if (verbs.empty()) return false;
    out_.send(from, cors_policy::preflight(verbs));
    return true;
}

void event_loop::handle(connection& from, const request& r, searched where) {
    decision d = desk_.decide(r, from.peer(), from.language, now_, where);
    if (auto* attempt = std::get_if<sale::attempt>(&d)) {
        attempt->reply_to = from.id;
        from.bought_at = connections_.now;
        batch_.add(*attempt);
    } else if (const auto* reply = std::get_if<api::reply>(&d)) {
        out_.send(from, *reply);
    } else if (auto* job = std::get_if<pool_job>(&d)) {
        run_job(from, std::move(*job));
    } else if (auto* order = std::get_if<order_question>(&d)) {
        if (!results_.wait_for_order(from, *order, connections_.now))
            run_job(from, std::move(order->otherwise));
    } else if (const auto* socket = std::get_if<socket_question>(&d)) {
        results_.open_socket(from, *socket, now_);
    } else {
        ask_other_nodes(from, r, std::get<token_question>(d).hash);
    }
}

void event_loop::run_job(connection& from, pool_job job) {
    const api::pool where = job.where;
    const std::string path = job.call.path;
    // Only here, where a call takes long anyway; a purchase has an id only if its client sent one.
    if (from.request_id.empty()) from.request_id = random_id();
    tasks_.run_in_pool(
        from, where,
        [this, job = std::move(job), request = from.request_id] {
            return perform(with_, job, request);
        },
        [this, path](connection& to, const api::first_answer& answer) {
            if (const auto* done = std::get_if<api::reply>(&answer))
                out_.send(to, *done);
            else
                run_rest(to, path, std::get<api::second_step>(answer));
        });
}

void event_loop::run_rest(connection& from, const std::string& path, const api::second_step& rest) {
    tasks_.run_in_pool(
        from, rest.where,
        [at = place{path, from.language}, work = rest.work, request = from.request_id] {
            const log::request_scope scope(request);
            return safely(at, work);
        },
        [this](connection& to, const api::reply& done) { out_.send(to, done); });
}

void event_loop::ask_other_nodes(connection& from, const request& r, const sale::token_hash& hash) {
    tasks_.run_in_pool(
        from, api::pool::general,
        [this, kept = owned_request(r), hash, now = now_] {
            const searched where = desk_.search_elsewhere(hash, now);
            return std::pair(kept, where);
        },
        [this](connection& to, const std::pair<owned_request, searched>& done) {
            handle(to, done.first.get(), done.second);
        });
}

void event_loop::tick() {
    turn([this] {
        const steady::time_point now = connections_.now;
        connections_.for_each([&](connection& who) {
            who.check_deadline(now);
            if (now >= cut_off_) who.close();
        });
        results_.tick(now);
        if (now >= cut_sockets_) results_.cut_sockets();
        connections_.accept_again();
    });
    if (is_done()) {
        if (results_.has_sockets() || !connections_.empty())
            log::warning("http.clients_left_behind");
        io_.stop();
        return;
    }
    ticker_.expires_after(stopping_ ? tick_time / 10 : tick_time);
    ticker_.async_wait([this](const boost::system::error_code& error) {
        if (!error) tick();
    });
}

// The loop ends even if something is left, because an operator who stops the process wants to go
// on.
bool event_loop::is_done() const {
    if (!stopping_) return false;
    const auto late = [this](steady::time_point cut) {
        return connections_.now >= cut + last_patience;
    };
    return (connections_.empty() || late(cut_off_)) &&
           (!results_.has_sockets() || late(cut_sockets_));
}

void event_loop::use_certificate(const connections::tls_context& tls) {
    asio::post(io_, [this, tls] { connections_.use_certificate(tls); });
}

void event_loop::stop(milliseconds limit) {
    asio::post(io_, [this, limit] { begin_stop(limit); });
}

void event_loop::begin_stop(milliseconds limit) {
    if (std::exchange(stopping_, true)) return;
    turn([this, limit] {
        const steady::time_point now = connections_.now;
        cut_off_ = now + limit;
        cut_sockets_ = std::min(cut_off_, now + socket_goodbye_time);
        connections_.stop_accepting();
        connections_.for_each([](connection& who) { who.retire(); });
        results_.begin_stop();
    });
    ticker_.cancel();
    tick();
}

figures event_loop::read_figures() const {
    figures out;
    connections_.add_to(out);
    out_.add_to(out);
    decisions_.add_to(out);
    return out;
}

}  // namespace floodgate::http
