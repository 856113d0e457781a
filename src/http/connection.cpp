#include "http/connection.hpp"

#include <boost/json/object.hpp>

#include <algorithm>

#include "api/routes.hpp"
#include "http/answers.hpp"
#include "push/web_socket.hpp"

namespace floodgate::http {
namespace {

// So many bytes are read ahead while a client waits for its answer; the rest is read later.
constexpr std::size_t ahead_bytes_max = 16'384;

// How long a client may take to close after the last answer.
constexpr auto goodbye_time = std::chrono::seconds(1);

// How slowly a file may come. Its length is known only if it is not sent in chunks.
constexpr std::size_t file_bytes_per_s = 131'072;

constexpr std::string_view go_ahead = "HTTP/1.1 100 Continue\r\n\r\n";

bool is_for_file(const request& r) {
    return (r.verb == api::verb::post || r.verb == api::verb::put) &&
           api::file_bytes_max(r.verb, r.path) != 0;
}

}  // namespace

connection::connection(connection_home& home, const remote& peer)
    : home_(home), peer_(peer), talk_(home.options.limits) {
    wait_for(waiting_for::next);
}

// A client that has not finished its handshake counts as idle, like one that sends nothing: both
// make room for others.
void connection::wait_for(waiting_for what) {
    waiting_ = what;
    unlink();
    if (what == waiting_for::next || what == waiting_for::handshake) home_.idle.push_back(*this);
    const auto& timeouts = home_.options.timeouts;
    switch (what) {
    case waiting_for::handshake:
        deadline_ = home_.now + std::min(timeouts.head, timeouts.idle);
        break;
    case waiting_for::next: deadline_ = home_.now + timeouts.idle; break;
    case waiting_for::head: deadline_ = home_.now + timeouts.head; break;
    case waiting_for::body: deadline_ = home_.now + body_time_; break;
    case waiting_for::go_ahead:
    case waiting_for::writing: deadline_ = home_.now + timeouts.write; break;
    case waiting_for::goodbye: deadline_ = home_.now + goodbye_time; break;
    case waiting_for::answer: deadline_ = steady::time_point::max(); break;
    }
}

void connection::on_received(std::size_t bytes) {
    if (waiting_ == waiting_for::goodbye) return;  // read and thrown away
    talk_.received(bytes);
    if (waiting_ == waiting_for::answer || waiting_ == waiting_for::writing ||
        waiting_ == waiting_for::go_ahead) {
        if (talk_.buffered() > ahead_bytes_max && reading_) want_more(reading_ = false);
    } else if (waiting_ == waiting_for::next) {
        wait_for(waiting_for::head);
    }
}

// Requests that came before are still answered; then next() closes.
void connection::on_peer_finished() {
    if (waiting_ == waiting_for::goodbye) {
        close();
        return;
    }
    peer_finished_ = true;
    want_more(reading_ = false);
}

bool connection::takes_requests() const {
    return waiting_ == waiting_for::next || waiting_ == waiting_for::head ||
           waiting_ == waiting_for::body;
}

const request* connection::next() {
    if (closed_ || !takes_requests()) return nullptr;
    switch (talk_.next()) {
    case conversation::step::refused: refuse(); return nullptr;
    case conversation::step::need_more:
        if (peer_finished_) {
            close();
            return nullptr;
        }
        if (talk_.head_complete() && waiting_ != waiting_for::body && !may_send_body()) break;
        if (!reading_) want_more(reading_ = true);
        return nullptr;
    case conversation::step::request_ready: break;
    }
    const request& r = talk_.current();
    keep_alive_ = r.keep_alive;
    head_only = r.is_head;
    wait_for(waiting_for::answer);
    return &r;
}

// Called when a head is complete and its body is not. Decides how much of the body is kept, so that
// useless bodies cost no memory. False: it is not needed, and the client asked before sending it,
// or it is a long file; then the request is answered without it.
bool connection::may_send_body() {
    const request announced = talk_.announced();
    const std::size_t wanted = home_.body_bytes_wanted(announced);
    talk_.keep_body(wanted);
    const bool is_file = is_for_file(announced);
    body_time_ = home_.options.timeouts.body;
    if (is_file) body_time_ += std::chrono::seconds(announced.body_bytes / file_bytes_per_s);
    if (!talk_.client_waits() && !(is_file && wanted == 0)) {
        wait_for(waiting_for::body);
        return true;
    }
    if (wanted == 0 || announced.body_bytes > wanted) {
        talk_.give_up_body();
        return false;
    }
    wait_for(waiting_for::go_ahead);
    write(go_ahead);
    return true;
}

void connection::answer(std::string_view bytes) {
    if (closed_) return;
    talk_.finish();
    wait_for(waiting_for::writing);
    write(bytes);
}

void connection::answer(const shared_answer& bytes) {
    if (closed_) return;
    talk_.finish();
    wait_for(waiting_for::writing);
    write(bytes);
}

void connection::on_written() {
    if (closed_) return;
    if (waiting_ == waiting_for::go_ahead) {
        wait_for(waiting_for::body);
        return retiring_ ? close() : home_.on_more(*this);
    }
    if (!keep_alive()) {
        wait_for(waiting_for::goodbye);
        shut_down();
        return;
    }
    wait_for(talk_.in_the_middle() ? waiting_for::head : waiting_for::next);
    if (talk_.in_the_middle() || !reading_) home_.on_more(*this);
}

// Sends a last answer and closes: after a broken request it is unknown where the next one starts.
void connection::refuse() {
    keep_alive_ = false;
    wait_for(waiting_for::writing);
    write(home_.out.last_words(talk_.why(), {{"detail", std::string(talk_.detail())}}));
}

std::shared_ptr<push::web_socket> connection::become_socket(boost::asio::io_context& io,
                                                            const push::socket_world& world,
                                                            const upgrade_request& r) {
    auto socket = give_away(io, world, r);
    if (socket) close();
    return socket;
}

void connection::retire() {
    retiring_ = true;
    if (takes_requests() || waiting_ == waiting_for::handshake) close();
}

void connection::close() {
    if (closed_) return;
    closed_ = true;
    unlink();
    close_transport();
    place_.leave();
    home_.on_closed(*this);
}

void connection::check_deadline(steady::time_point now) {
    if (now < deadline_ || closed_) return;
    if (waiting_ != waiting_for::head && waiting_ != waiting_for::body) {
        close();
        return;
    }
    keep_alive_ = false;
    wait_for(waiting_for::writing);
    write(home_.out.last_words(api::problem::request_timeout));
}

}  // namespace floodgate::http
