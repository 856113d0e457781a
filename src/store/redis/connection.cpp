#include "store/redis/connection.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <poll.h>
#include <system_error>

#include "store/redis/handshake.hpp"

namespace floodgate::store {
namespace {

using kind = redis_failure::kind;

int milliseconds_until(steady::time_point deadline) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - steady::now()).count();
    constexpr decltype(left) poll_max = 3'600'000;
    return static_cast<int>(std::clamp<decltype(left)>(left, 0, poll_max));
}

}  // namespace

redis_connection::redis_connection(std::string address, const redis_options& options)
    : address_(std::move(address)) {
    connect(steady::now() + options.connect_timeout);
    log_in(options);
}

// A name may have several addresses, of which only some are the server's.
void redis_connection::connect(steady::time_point deadline) {
    const auto of = endpoint_from_server(address_);
    std::string why = "the name is not known";
    for (const socket_address& to : of ? resolve(*of) : std::vector<socket_address>()) {
        int error = socket_.begin_connect(to);
        if (error == 0) error = wait_for(POLLOUT, deadline) ? socket_.connect_error() : ETIMEDOUT;
        if (error == 0) return;
        why = std::generic_category().message(error);
    }
    throw redis_failure(kind::unreachable, "nobody answers at " + address_ + " (Redis): " + why);
}

void redis_connection::log_in(const redis_options& options) {
    for (words& command : login_commands(options)) {
        const auto answer = ask({.key = {}, .what = std::move(command)}, {},
                                steady::now() + options.command_timeout);
        if (!answer)
            throw redis_failure(kind::unreachable,
                                address_ + " (Redis) took the connection and said nothing");
        if (answer->is_error()) throw to_failure(address_, *answer);
    }
}

bool redis_connection::flush(steady::time_point deadline) {
    while (!broken() && !socket_.flush())
        if (!socket_.broken() && !wait_for(POLLOUT, deadline)) broken_ = true;
    return !broken();
}

std::optional<redis_reply> redis_connection::receive(steady::time_point deadline, int interrupt) {
    redis_reply reply;
    while (!socket_.next(reply)) {
        if (broken() || !wait_for(POLLIN, deadline, interrupt)) return std::nullopt;
        socket_.read();
    }
    if (owed_ > 0) --owed_;
    return reply;
}

std::optional<redis_reply> redis_connection::ask(const redis_command& command,
                                                 const redis_sending& how,
                                                 steady::time_point deadline, int interrupt) {
    append(command, how);
    flush(deadline);
    auto reply = receive(deadline, interrupt);
    if (how.asking && reply) reply = receive(deadline, interrupt);
    return reply;
}

bool redis_connection::wait_for(short events, steady::time_point deadline, int interrupt) const {
    for (;;) {
        std::array<pollfd, 2> watched{pollfd{socket_.fd(), events, 0},
                                      pollfd{interrupt, POLLIN, 0}};  // -1 is ignored by poll
        const int ready = ::poll(watched.data(), watched.size(), milliseconds_until(deadline));
        if (ready > 0) return watched[1].revents == 0;
        if (ready == 0 && steady::now() >= deadline) return false;
        if (ready < 0 && errno != EINTR) return false;
    }
}

bool redis_connection::reusable() const {
    if (broken() || owed_ != 0) return false;
    pollfd watched{socket_.fd(), POLLIN, 0};
    // No answer is to come: whatever there is to read is the end of the connection.
    return ::poll(&watched, 1, 0) == 0;
}

}  // namespace floodgate::store
