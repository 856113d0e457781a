#include "http/event_loop.hpp"

#include <boost/asio/post.hpp>

#include <unistd.h>
#include <utility>

#include "base/log.hpp"
#include "base/thread.hpp"
#include "http/plain_connection.hpp"
#include "http/tls_connection.hpp"

namespace floodgate::http {
namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

constexpr auto tick_time = std::chrono::milliseconds(250);

// When we stop: how long WebSockets have to answer our goodbye.
constexpr auto socket_goodbye_time = std::chrono::seconds(1);

}  // namespace

event_loop::event_loop(api::services& with, push::mailroom& mailroom,
                       const guard::trusted_proxies& proxies, loop_options options,
                       enqueue_work enqueue, std::shared_ptr<asio::ssl::context> tls)
    : with_(with),
      mailroom_(mailroom),
      proxies_(proxies),
      options_(options),
      enqueue_(std::move(enqueue)),
      tls_(std::move(tls)),
      sockets_ready_(io_, dup(sockets_.native_handle())),
      lane_(with.turnstile.open_lane([this] { asio::post(io_, [this] { on_wake(); }); })),
      box_(open_box()),
      polls_(mailroom, box_),
      room_(mailroom, box_) {
    if (lane_->ready_fd() >= 0) lane_ready_.assign(dup(lane_->ready_fd()));
    note_time();
}

event_loop::~event_loop() {
    mailroom_.close_box(box_);
    for (slot& s : slots_)
        if (s.who) s.who->close();
}

void event_loop::listen(int fd, bool ipv6) {
    acceptor_.assign(ipv6 ? tcp::v6() : tcp::v4(), fd);
    accept_next();
}

void event_loop::run() {
    name_thread("loop");
    ask_for_short_slices();
    wait_for_turn();
    if (lane_ready_.is_open()) wait_for_lane();
    tick();
    io_.run();
}

void event_loop::note_time() {
    now_ = with_.clock.now();
    steady_now_ = steady::now();
}

void event_loop::accept_next() {
    acceptor_.async_accept([this](const boost::system::error_code& error, tcp::socket socket) {
        if (stopping_) return;
        note_time();
        if (!error) {
            welcome(std::move(socket));
        } else {
            // Out of descriptors, most likely: the next tick takes up accepting again.
            log::warning("edge.accept_failed", "error", error.message());
            accept_again_ = true;
            return;
        }
        accept_next();
    });
}

void event_loop::welcome(tcp::socket socket) {
    boost::system::error_code ignored;
    if (connections_.load(std::memory_order_relaxed) >= options_.connections_max) {
        bump(refused_);
        count(503);
        if (tls_) return;  // no answer without a handshake
        bytes_.clear();
        write_reply(bytes_,
                    api::problem_reply(api::problem::busy, api::language::en,
                                       {{"retry_after_ms", busy_retry_ms}}),
                    {.date = date(), .keep_alive = false});
        socket.non_blocking(true, ignored);
        socket.write_some(asio::buffer(bytes_), ignored);  // one try: they may read it or not
        socket.shutdown(tcp::socket::shutdown_send, ignored);
        std::array<char, 4096> unread;  // left in the socket, it would turn our close into a reset
        socket.read_some(asio::buffer(unread), ignored);
        return;
    }
    const auto from = socket.remote_endpoint(ignored);
    if (ignored) return;  // gone already
    socket.non_blocking(true, ignored);
    socket.set_option(tcp::no_delay(true), ignored);

    if (free_slots_.empty()) {
        free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
        slots_.emplace_back();
    }
    const std::uint32_t index = free_slots_.back();
    free_slots_.pop_back();
    slot& s = slots_[index];
    if (tls_) {
        s.who = std::make_shared<tls_connection>(*this, from.address(), std::move(socket), *tls_);
    } else {
        s.who = std::make_shared<plain_connection>(*this, from.address(), socket.release(ignored));
    }
    s.who->ticket = static_cast<std::uint64_t>(s.generation) << 32U | index;
    bump(accepted_);
    connections_.store(connections_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    const auto who = s.who;  // start() may close and forget it
    who->start();
}

connection* event_loop::find(std::uint64_t ticket) {
    const std::size_t index = ticket & 0xffffffffU;
    if (index >= slots_.size()) return nullptr;
    const slot& s = slots_[index];
    return s.generation == ticket >> 32U ? s.who.get() : nullptr;
}

void event_loop::forget(std::uint64_t ticket) {
    if (!find(ticket)) return;
    polls_.forget(ticket);
    const auto index = static_cast<std::uint32_t>(ticket & 0xffffffffU);
    slots_[index].who.reset();
    ++slots_[index].generation;
    free_slots_.push_back(index);
    connections_.store(connections_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
}

void event_loop::wait_for_turn() {
    sockets_ready_.async_wait(asio::posix::stream_descriptor::wait_read,
                              [this](const boost::system::error_code& error) {
                                  if (error) return;
                                  turn();
                                  wait_for_turn();
                              });
}

void event_loop::wait_for_lane() {
    lane_ready_.async_wait(asio::posix::stream_descriptor::wait_read,
                           [this](const boost::system::error_code& error) {
                               if (error) return;
                               on_wake();
                               wait_for_lane();
                           });
}

void event_loop::turn() {
    note_time();
    for (const socket_poller::event& e : sockets_.poll())
        if (connection* who = find(e.ticket)) who->on_ready(e.readable, e.writable);
    if (!batch_.empty()) settle();
}

// Has the gathered attempts judged and tells every verdict that may be told. Answering one buyer
// may bring in their next, pipelined request: it is judged in the same turn.
void event_loop::settle() {
    do {
        if (!batch_.empty()) lane_->submit(batch_, now_);
        batch_.clear();
        verdicts_.clear();
        lane_->collect(verdicts_);
        for (const sale::verdict& v : verdicts_) tell(v);
    } while (!batch_.empty());
}

void event_loop::tell(const sale::verdict& v) {
    count(status_of(v.what));
    connection* who = find(v.ticket);
    if (!who) return;  // hung up; the promise stands all the same
    bytes_.clear();
    write_verdict(bytes_, v, who->language, {.date = date(), .keep_alive = who->keep_alive()});
    who->answer(bytes_);
}

void event_loop::on_wake() {
    note_time();
    settle();
}

void event_loop::tick() {
    note_time();
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        const auto who = slots_[i].who;
        if (!who) continue;
        who->check_deadline(steady_now_);
        if (steady_now_ >= cut_off_) who->close();
    }
    if (polls_.count() > 0) answer_polls(polls_.overdue(steady_now_));
    room_.tick(steady_now_);
    if (steady_now_ >= cut_sockets_) room_.cut_all();
    if (!batch_.empty()) settle();
    if (std::exchange(accept_again_, false)) accept_next();
    if (stopping_ && connections_.load(std::memory_order_relaxed) == 0 && room_.empty()) {
        io_.stop();
        return;
    }
    ticker_.expires_after(stopping_ ? tick_time / 10 : tick_time);
    ticker_.async_wait([this](const boost::system::error_code& error) {
        if (!error) tick();
    });
}

void event_loop::stop(milliseconds limit) {
    asio::post(io_, [this, limit] { begin_stop(limit); });
}

void event_loop::begin_stop(milliseconds limit) {
    if (stopping_) return;
    stopping_ = true;
    note_time();
    cut_off_ = steady_now_ + limit;
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    cut_sockets_ = std::min(cut_off_, steady_now_ + socket_goodbye_time);
    room_.close_all();
    for (std::size_t i = 0; i < slots_.size(); ++i)
        if (const auto who = slots_[i].who) who->retire();
    answer_polls(polls_.end_all());
    ticker_.cancel();
    tick();
}

event_loop::figures event_loop::read_figures() const {
    figures out;
    out.connections = connections_.load(std::memory_order_relaxed);
    out.accepted = accepted_.load(std::memory_order_relaxed);
    out.refused = refused_.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < by_status_.size(); ++i)
        out.by_status[i] = by_status_[i].load(std::memory_order_relaxed);
    return out;
}

}  // namespace floodgate::http
