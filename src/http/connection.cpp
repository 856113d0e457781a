#include "http/connection.hpp"

#include "http/event_loop.hpp"
#include "http/wire.hpp"
#include "push/web_socket.hpp"

namespace floodgate::http {
namespace {

// A client may send this much ahead of the answer it waits for; then it is not read any further.
constexpr std::size_t ahead_bytes_max = 16'384;

// How long a client may take to notice that we have said our last word.
constexpr auto goodbye_time = std::chrono::seconds(1);

}  // namespace

connection::connection(event_loop& loop, boost::asio::ip::address peer)
    : loop_(loop),
      peer_(std::move(peer)),
      peer_is_trusted_(loop.trusts(peer_)),
      talk_(loop.options().limits) {
    wait_for(waiting_for::next);
}

void connection::wait_for(waiting_for what) {
    waiting_ = what;
    const auto& timeouts = loop_.options().timeouts;
    switch (what) {
    case waiting_for::next: deadline_ = loop_.steady_now() + timeouts.idle; break;
    case waiting_for::head: deadline_ = loop_.steady_now() + timeouts.head; break;
    case waiting_for::body: deadline_ = loop_.steady_now() + timeouts.body; break;
    case waiting_for::writing: deadline_ = loop_.steady_now() + timeouts.write; break;
    case waiting_for::goodbye: deadline_ = loop_.steady_now() + goodbye_time; break;
    case waiting_for::answer: deadline_ = steady::time_point::max(); break;
    }
}

void connection::on_received(std::size_t bytes) {
    if (waiting_ == waiting_for::goodbye) return;  // read and thrown away
    talk_.received(bytes);
    if (waiting_ == waiting_for::answer || waiting_ == waiting_for::writing) {
        if (talk_.buffered() > ahead_bytes_max && reading_) want_more(reading_ = false);
        return;
    }
    if (waiting_ == waiting_for::next) wait_for(waiting_for::head);
    go_on();
}

void connection::on_peer_finished() {
    if (waiting_ == waiting_for::goodbye) {
        close();
        return;
    }
    peer_finished_ = true;
    want_more(reading_ = false);
    if (waiting_ == waiting_for::answer) {
        loop_.stop_waiting(*this);  // most likely gone altogether
    } else if (takes_requests()) {
        go_on();  // what it sent before is answered; then need_more closes
    }
}

bool connection::takes_requests() const {
    return waiting_ == waiting_for::next || waiting_ == waiting_for::head ||
           waiting_ == waiting_for::body;
}

// Takes request after request until one has to wait for its answer, or there is no whole one.
void connection::go_on() {
    if (going_on_) return;
    going_on_ = true;
    const auto self = shared_from_this();  // an answer may close and forget us
    while (!closed_ && takes_requests()) {
        const auto step = talk_.next();
        if (step == conversation::step::refused) {
            refuse();
            break;
        }
        if (step == conversation::step::need_more) {
            if (peer_finished_) {
                close();
                break;
            }
            if (talk_.head_complete() && waiting_ != waiting_for::body) wait_for(waiting_for::body);
            if (!reading_) want_more(reading_ = true);
            break;
        }
        const request& r = talk_.current();
        keep_alive_ = r.keep_alive;
        head_only = r.is_head;
        wait_for(waiting_for::answer);
        loop_.handle(*this, r);
    }
    going_on_ = false;
}

void connection::answer(std::string_view bytes) {
    if (closed_) return;
    talk_.finish();
    wait_for(waiting_for::writing);
    write(bytes);
}

void connection::on_written() {
    if (closed_) return;
    if (!keep_alive()) {
        wait_for(waiting_for::goodbye);
        shut_down();
        return;
    }
    wait_for(talk_.in_the_middle() ? waiting_for::head : waiting_for::next);
    if (talk_.in_the_middle() || !reading_) go_on();
}

// The last words: after a broken request there is no telling where the next one starts.
void connection::refuse() {
    keep_alive_ = false;
    const api::reply r = api::problem_reply(talk_.why(), api::language::en,
                                            {{"detail", std::string(talk_.detail())}});
    loop_.count(r.status);
    wait_for(waiting_for::writing);
    std::string bytes;
    write_reply(bytes, r, {.date = loop_.date(), .keep_alive = false});
    write(bytes);
}

std::shared_ptr<push::web_socket> connection::become_socket() {
    auto socket = give_away();
    if (socket) close();
    return socket;
}

void connection::retire() {
    retiring_ = true;
    if (takes_requests()) close();
}

void connection::close() {
    if (closed_) return;
    closed_ = true;
    close_transport();
    loop_.forget(ticket);
}

void connection::check_deadline(steady::time_point now) {
    if (now < deadline_ || closed_) return;
    if (waiting_ != waiting_for::head && waiting_ != waiting_for::body) {
        close();
        return;
    }
    keep_alive_ = false;
    loop_.count(408);
    std::string bytes;
    write_reply(bytes, api::problem_reply(api::problem::request_timeout, api::language::en),
                {.date = loop_.date(), .keep_alive = false});
    wait_for(waiting_for::writing);
    write(bytes);
}

}  // namespace floodgate::http
