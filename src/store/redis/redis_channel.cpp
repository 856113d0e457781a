#include "store/redis/redis_channel.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <hiredis/read.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdexcept>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/log.hpp"
#include "store/redis/redis_replies.hpp"

namespace floodgate::store {
namespace {

constexpr milliseconds pause_min{50}, pause_max{1000}, name_poll{10};
constexpr std::size_t read_chunk = 65536;
constexpr std::size_t keep_buffer_max = std::size_t{1} << 20U;

struct reply_freer {
    void operator()(void* reply) const { freeReplyObject(reply); }
};

void append_word(std::string& out, std::string_view word) {
    out.append("$").append(std::to_string(word.size())).append("\r\n");
    out.append(word).append("\r\n");
}

}  // namespace

void redis_words::add(std::string_view word) {
    append_word(bytes_, word);
    ++count_;
}

void redis_words::add(std::int64_t number) { add(std::string_view(std::to_string(number))); }

void redis_words::add(const redis_words& more) {
    bytes_.append(more.bytes_);
    count_ += more.count_;
}

void redis_words::write_to(std::string& out, std::initializer_list<std::string_view> first) const {
    out.append("*").append(std::to_string(first.size() + count_)).append("\r\n");
    for (const std::string_view word : first) append_word(out, word);
    out.append(bytes_);
}

void redis_channel::reader_freer::operator()(redisReader* r) const { redisReaderFree(r); }

redis_channel::redis_channel(std::string address, const redis_options& options, int epoll,
                             std::uint64_t mark)
    : address_(std::move(address)),
      options_(options),
      epoll_(epoll),
      mark_(mark),
      name_(address_),
      pause_(pause_min) {}

redis_channel::~redis_channel() { close(); }

void redis_channel::close() {
    if (fd_ >= 0) ::close(fd_);  // leaves the epoll set with it
    fd_ = -1;
    reader_.reset();
    out_.clear();
    written_ = 0;
    greetings_owed_ = 0;
    watching_writing_ = broken_ = false;
}

void redis_channel::lose(time now) {
    close();
    state_ = state::resting;
    again_at_ = now + pause_;
    pause_ = std::min(pause_ * 2, pause_max);
}

void redis_channel::tend(time now) {
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

redis_channel::time redis_channel::attention_at(time now) const {
    if (state_ == state::ready) return time::max();
    return state_ == state::resolving ? now + name_poll : again_at_;
}

void redis_channel::begin_connect(time now) {
    const socket_address to = name_.get();
    if (to.size == 0) return lose(now);
    fd_ = ::socket(to.where.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd_ < 0) return lose(now);
    const int on = 1;
    (void)::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    (void)::setsockopt(fd_, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    const int begun = ::connect(fd_, reinterpret_cast<const sockaddr*>(&to.where), to.size);
    if (begun != 0 && errno != EINPROGRESS) return lose(now);
    epoll_event watch{};
    watch.events = EPOLLIN | EPOLLOUT;
    watch.data.u64 = mark_;
    if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd_, &watch) != 0) return lose(now);
    watching_writing_ = true;
    reader_.reset(redisReaderCreate());
    if (!reader_) throw std::bad_alloc();
    state_ = state::connecting;
}

void redis_channel::finish_connect(time now) {
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0) {
        broken_ = true;
        return;
    }
    state_ = state::greeting;
    again_at_ = now + options_.connect_timeout;
    greet();
    flush();
}

// The last answer of the greeting says whether it is somebody to talk to.
void redis_channel::greet() {
    const auto say = [this](std::initializer_list<std::string_view> command) {
        append({}, command);
        ++greetings_owed_;
    };
    if (!options_.password.empty()) {
        if (options_.user.empty()) {
            say({"AUTH", options_.password});
        } else {
            say({"AUTH", options_.user, options_.password});
        }
    }
    if (options_.database != 0 && !options_.cluster)
        say({"SELECT", std::to_string(options_.database)});
    if (options_.addresses.size() > 1 && !options_.cluster) {
        say({"ROLE"});
    } else {
        say({"PING"});
    }
}

void redis_channel::take_greeting() {
    redis_reply answer;
    while (!broken_ && greetings_owed_ > 0 && next(answer)) {
        --greetings_owed_;
        const bool refused = answer.what == redis_reply::kind::error;
        const bool replica = answer.what == redis_reply::kind::array && !answer.items.empty() &&
                             answer.items[0].text != "master";
        if (refused && !complained_)
            log::warning("redis.refused", "address", address_, "said", answer.text);
        complained_ = complained_ || refused;
        if (refused || replica) broken_ = true;
    }
    if (broken_ || greetings_owed_ > 0) return;
    state_ = state::ready;
    complained_ = false;
    pause_ = pause_min;
}

void redis_channel::on_ready(std::uint32_t events, time now) {
    if (fd_ < 0) return;
    if (state_ == state::connecting) {
        finish_connect(now);
        return;
    }
    if ((events & (EPOLLIN | EPOLLERR | EPOLLHUP)) != 0) read();
    if (!broken_ && (events & EPOLLOUT) != 0) flush();
    if (state_ == state::greeting) take_greeting();
}

// What came before the connection broke still counts: the answers are handed over first.
void redis_channel::read() {
    std::array<char, read_chunk> chunk;
    for (;;) {
        const ssize_t n = ::recv(fd_, chunk.data(), chunk.size(), 0);
        if (n > 0) {
            if (redisReaderFeed(reader_.get(), chunk.data(), static_cast<std::size_t>(n)) !=
                REDIS_OK)
                broken_ = true;
            if (static_cast<std::size_t>(n) < chunk.size()) return;
            continue;
        }
        if (n < 0 && errno == EINTR) continue;
        if (n == 0 || errno != EAGAIN) broken_ = true;
        return;
    }
}

bool redis_channel::next(redis_reply& out) {
    if (!reader_) return false;
    void* raw = nullptr;
    if (redisReaderGetReply(reader_.get(), &raw) != REDIS_OK) {
        broken_ = true;
        return false;
    }
    if (raw == nullptr) return false;
    const std::unique_ptr<void, reply_freer> owned(raw);
    out = to_reply(*static_cast<const redisReply*>(raw));
    return true;
}

void redis_channel::flush() {
    while (written_ < out_.size() && !broken_) {
        const ssize_t n = ::send(fd_, out_.data() + written_, out_.size() - written_, MSG_NOSIGNAL);
        if (n > 0) {
            written_ += static_cast<std::size_t>(n);
        } else if (errno == EAGAIN) {
            watch_writing(true);
            return;
        } else if (errno != EINTR) {
            broken_ = true;
        }
    }
    if (broken_) return;
    out_.clear();
    if (out_.capacity() > keep_buffer_max) out_.shrink_to_fit();
    written_ = 0;
    watch_writing(false);
}

void redis_channel::watch_writing(bool wanted) {
    if (wanted == watching_writing_) return;
    epoll_event watch{};
    watch.events = wanted ? EPOLLIN | EPOLLOUT : EPOLLIN;
    watch.data.u64 = mark_;
    if (::epoll_ctl(epoll_, EPOLL_CTL_MOD, fd_, &watch) != 0) broken_ = true;
    watching_writing_ = wanted;
}

}  // namespace floodgate::store
