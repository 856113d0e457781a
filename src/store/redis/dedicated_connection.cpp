#include "store/redis/dedicated_connection.hpp"

#include <cerrno>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>

#include "store/redis/servers.hpp"

namespace floodgate::store {

signal_flag::signal_flag() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

signal_flag::~signal_flag() { ::close(fd_); }

void signal_flag::set() {
    raised_ = true;
    (void)::eventfd_write(fd_, 1);
}

void signal_flag::clear() {
    eventfd_t drained = 0;
    (void)::eventfd_read(fd_, &drained);
    raised_ = false;
}

dedicated_connection::dedicated_connection(redis& of) : servers_(*of.servers_) {}
dedicated_connection::~dedicated_connection() = default;

result<redis_reply> dedicated_connection::ask(std::string_view key, words what, milliseconds wait) {
    error_.clear();
    if (interrupted_.raised()) return make_error_code(errc::store_unavailable);
    const redis_command asked{.key = std::string(key), .what = std::move(what)};
    auto reply = servers_.ask(asked, [&](redis_server& to, const redis_sending& how, auto) {
        return exchange(to, asked, how, wait);
    });
    if (!reply) return reply;
    if (reply->is_error()) error_ = reply->text;
    return accepted(std::move(*reply), asked.name());
}

redis_outcome dedicated_connection::exchange(redis_server& to, const redis_command& command,
                                             const redis_sending& how, milliseconds wait) {
    if (interrupted_.raised()) return {};
    // Messages left over from a subscription are no reason to drop the connection here.
    if (connection_ && (connection_->broken() || connection_->address() != to.address()))
        connection_.reset();
    if (!connection_) connection_ = to.connect();
    if (!connection_) return {};
    const auto deadline = steady::now() + wait + servers_.options().command_timeout;
    auto reply = connection_->ask(command, how, deadline, interrupted_.fd());
    // An interrupted wait says nothing about the server.
    const bool in_vain = !reply && !connection_->broken() && interrupted_.raised();
    redis_outcome out{redis_outcome::kind::unknown, {}};
    if (!in_vain) out = to.judge(*connection_, std::move(reply));
    if (out.what != redis_outcome::kind::answered) connection_.reset();
    return out;
}

result<redis_reply> dedicated_connection::hear(milliseconds wait) {
    if (!connection_ || interrupted_.raised()) return make_error_code(errc::store_unavailable);
    auto reply = connection_->receive(steady::now() + wait, interrupted_.fd());
    if (reply) return std::move(*reply);
    if (!connection_->broken() && !interrupted_.raised()) return redis_reply{};
    connection_.reset();
    return make_error_code(errc::store_unavailable);
}

}  // namespace floodgate::store
