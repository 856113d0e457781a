#include "store/redis/async_connection.hpp"

#include <sys/epoll.h>

#include "base/backoff.hpp"
#include "base/log.hpp"
#include "store/redis/handshake.hpp"

namespace floodgate::store {
namespace {

constexpr backoff pauses{.first = milliseconds(50), .last = milliseconds(1000)};
constexpr milliseconds name_poll{10};

}  // namespace

async_redis_connection::async_redis_connection(std::string address, const redis_options& options,
                                               int epoll, std::uint64_t mark)
    : address_(std::move(address)),
      options_(options),
      epoll_(epoll),
      mark_(mark),
      name_(address_) {}

void async_redis_connection::lose(time now) {
    socket_.close();
    greetings_owed_ = 0;
    watching_writing_ = broken_ = false;
    state_ = state::resting;
    again_at_ = now + pauses.after(++failures_);
}

void async_redis_connection::tend(time now) {
    if (state_ == state::ready) return;
    if (state_ == state::resting) {
        if (now < again_at_) return;
        again_at_ = now + options_.connect_timeout;
        state_ = state::resolving;
        name_.ask();
    }
    if (state_ == state::resolving && name_.known()) return begin_connect(now);
    if (now >= again_at_) lose(now);
}

async_redis_connection::time async_redis_connection::attention_at(time now) const {
    if (state_ == state::ready) return time::max();
    return state_ == state::resolving ? now + name_poll : again_at_;
}

void async_redis_connection::begin_connect(time now) {
    const auto to = name_.next();
    if (!to || socket_.begin_connect(*to) != 0) return lose(now);
    epoll_event watch{};
    watch.events = EPOLLIN | EPOLLOUT;
    watch.data.u64 = mark_;
    if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, socket_.fd(), &watch) != 0) return lose(now);
    watching_writing_ = true;
    state_ = state::connecting;
}

void async_redis_connection::finish_connect(time now) {
    if (socket_.connect_error() != 0) {
        broken_ = true;
        return;
    }
    state_ = state::greeting;
    again_at_ = now + options_.connect_timeout;
    greet();
    flush();
}

// The last answer of the greeting decides whether this server can be used.
void async_redis_connection::greet() {
    for (const words& command : login_commands(options_)) {
        socket_.append(command);
        ++greetings_owed_;
    }
    socket_.append(proof_command(options_));
    ++greetings_owed_;
}

void async_redis_connection::take_greeting() {
    redis_reply answer;
    while (!broken() && greetings_owed_ > 0 && next(answer)) {
        --greetings_owed_;
        const bool replica = !answer.items.empty() && !is_master(answer);
        if (answer.is_error() && !complained_)
            log::warning("redis.refused", "address", address_, "said", answer.text);
        complained_ = complained_ || answer.is_error();
        if (answer.is_error() || replica) broken_ = true;
    }
    if (broken() || greetings_owed_ > 0) return;
    state_ = state::ready;
    complained_ = false;
    failures_ = 0;
}

// Answers that came before the connection broke still count, so they are handed over first.
void async_redis_connection::on_ready(std::uint32_t events, time now) {
    if (socket_.fd() < 0) return;
    if (state_ == state::connecting) {
        finish_connect(now);
        return;
    }
    if ((events & (EPOLLIN | EPOLLERR | EPOLLHUP)) != 0) socket_.read();
    if (!broken() && (events & EPOLLOUT) != 0) flush();
    if (state_ == state::greeting) take_greeting();
}

void async_redis_connection::flush() {
    const bool all = socket_.flush();
    if (!socket_.broken()) watch_writing(!all);
}

void async_redis_connection::watch_writing(bool wanted) {
    if (wanted == watching_writing_) return;
    epoll_event watch{};
    watch.events = wanted ? EPOLLIN | EPOLLOUT : EPOLLIN;
    watch.data.u64 = mark_;
    if (::epoll_ctl(epoll_, EPOLL_CTL_MOD, socket_.fd(), &watch) != 0) broken_ = true;
    watching_writing_ = wanted;
}

}  // namespace floodgate::store
