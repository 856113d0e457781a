#include "store/redis/redis_wire.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include "store/redis/redis_replies.hpp"

namespace floodgate::store {
namespace {

using kind = redis_failure::kind;

timeval to_timeval(milliseconds t) {
    return {.tv_sec = t.count() / 1000, .tv_usec = t.count() % 1000 * 1000};
}

int milliseconds_until(steady::time_point deadline) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - steady::now()).count();
    constexpr decltype(left) poll_max = 3'600'000;
    return static_cast<int>(std::clamp<decltype(left)>(left, 0, poll_max));
}

void tune(int fd) {
    const int on = 1;
    (void)::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    (void)::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    (void)::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

void append_bulk(std::string& out, std::string_view word) {
    out.append("$").append(std::to_string(word.size())).append("\r\n");
    out.append(word).append("\r\n");
}

}  // namespace

redis_address parse_redis_address(const std::string& text) {
    const auto colon = text.rfind(':');
    redis_address out;
    if (colon != std::string::npos) {
        out.host = text.substr(0, colon);
        const char* end = text.data() + text.size();
        const auto parsed = std::from_chars(text.data() + colon + 1, end, out.port);
        if (parsed.ec != std::errc() || parsed.ptr != end) out.port = 0;
    }
    if (out.host.size() > 2 && out.host.front() == '[' && out.host.back() == ']')
        out.host = out.host.substr(1, out.host.size() - 2);
    constexpr int port_max = 65535;
    if (out.host.empty() || out.port <= 0 || out.port > port_max)
        throw std::runtime_error("'" + text + "' is not an address of a Redis server (HOST:PORT)");
    return out;
}

void redis_wire::deadline_closer::operator()(redisContext* c) const { redisFree(c); }

redis_wire::redis_wire(const std::string& address, const redis_options& options)
    : address_(address) {
    const auto [host, port] = parse_redis_address(address);
    context_.reset(
        redisConnectWithTimeout(host.c_str(), port, to_timeval(options.connect_timeout)));
    if (!context_) throw std::bad_alloc();
    if (context_->err != 0)
        throw redis_failure(kind::unreachable,
                            "nobody answers at " + address + " (Redis): " + context_->errstr);
    tune(context_->fd);
    shake_hands(options);
}

redis_wire::~redis_wire() = default;

void redis_wire::shake_hands(const redis_options& options) {
    if (!options.password.empty()) {
        if (options.user.empty()) {
            demand_ok({"AUTH", options.password}, options);
        } else {
            demand_ok({"AUTH", options.user, options.password}, options);
        }
    }
    if (options.database != 0 && !options.cluster)
        demand_ok({"SELECT", std::to_string(options.database)}, options);
}

void redis_wire::demand_ok(const words& command, const redis_options& options) {
    append(command);
    const auto deadline = steady::now() + options.command_timeout;
    const auto answer = flush(deadline) ? receive(deadline) : std::nullopt;
    if (!answer)
        throw redis_failure(kind::unreachable, address_ +
                                                   " (Redis) took the connection and said "
                                                   "nothing");
    if (answer->what != redis_reply::kind::error) return;
    const std::string& said = answer->text;
    if (said.starts_with("LOADING"))
        throw redis_failure(kind::loading, address_ + " (Redis) is still loading its data");
    if (said.starts_with("WRONGPASS"))
        throw redis_failure(kind::refused,
                            address_ + " (Redis): the user or the password is wrong");
    if (command.front() == "AUTH" && said.find("without any password") != std::string::npos)
        throw redis_failure(kind::refused,
                            address_ + " (Redis) has no password, and one is configured");
    throw redis_failure(kind::refused, address_ + " (Redis): " + said);
}

// hiredis writes with write(), which raises SIGPIPE, and without a deadline; so the bytes are made
// and sent here.
void redis_wire::append(const words& command) {
    out_.append("*").append(std::to_string(command.size())).append("\r\n");
    for (const std::string& word : command) append_bulk(out_, word);
    ++owed_;
}

bool redis_wire::flush(steady::time_point deadline) {
    std::size_t sent = 0;
    while (sent < out_.size() && !broken_) {
        const ssize_t n = ::send(context_->fd, out_.data() + sent, out_.size() - sent,
                                 MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n >= 0) {
            sent += static_cast<std::size_t>(n);
        } else if (errno == EAGAIN) {
            if (!wait_for(POLLOUT, deadline, -1)) broken_ = true;
        } else if (errno != EINTR) {
            broken_ = true;
        }
    }
    out_.clear();
    return !broken_;
}

std::optional<redis_reply> redis_wire::receive(steady::time_point deadline, int interrupt) {
    while (!broken_) {
        void* raw = nullptr;
        if (redisGetReplyFromReader(context_.get(), &raw) != REDIS_OK) break;
        if (raw != nullptr) {
            const std::unique_ptr<redisReply, void (*)(void*)> owned(static_cast<redisReply*>(raw),
                                                                     freeReplyObject);
            if (owed_ > 0) --owed_;
            return to_reply(*owned);
        }
        if (!wait_for(POLLIN, deadline, interrupt)) return std::nullopt;
        if (redisBufferRead(context_.get()) != REDIS_OK) break;
    }
    broken_ = true;
    return std::nullopt;
}

bool redis_wire::wait_for(short events, steady::time_point deadline, int interrupt) {
    for (;;) {
        std::array<pollfd, 2> watched{pollfd{context_->fd, events, 0},
                                      pollfd{interrupt, POLLIN, 0}};  // -1 is ignored by poll
        const int left = milliseconds_until(deadline);
        const int ready = ::poll(watched.data(), watched.size(), left);
        if (ready > 0) return watched[1].revents == 0;
        if (ready == 0 && steady::now() >= deadline) return false;
        if (ready < 0 && errno != EINTR) return false;
    }
}

bool redis_wire::reusable() const {
    if (broken_ || owed_ != 0) return false;
    pollfd watched{context_->fd, POLLIN, 0};
    // Nobody owes us anything: whatever is there to read is the end of the connection.
    return ::poll(&watched, 1, 0) == 0;
}

redis_error read_redis_error(std::string_view text, const std::string& asked) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (word == "MOVED" || word == "ASK") {
        redis_error out{word == "ASK" ? redis_says::ask : redis_says::moved};
        const auto space = text.rfind(' ');
        const std::string_view rest = text.substr(std::min(word.size() + 1, text.size()));
        const auto number = std::from_chars(rest.data(), rest.data() + rest.size(), out.slot);
        out.address = text.substr(space + 1);
        if (number.ec != std::errc() || out.address.find(':') == std::string::npos) return {};
        if (out.address.front() == ':') {
            out.address = asked.substr(0, asked.rfind(':')) + out.address;
        }
        return out;
    }
    if (word == "TRYAGAIN") return {redis_says::try_again};
    if (word == "CLUSTERDOWN") return {redis_says::cluster_down};
    if (word == "READONLY") return {redis_says::read_only};
    if (word == "LOADING" || word == "MASTERDOWN" || word == "BUSY") return {redis_says::loading};
    if (word == "NOSCRIPT") return {redis_says::unknown_script};
    return {};
}

}  // namespace floodgate::store
