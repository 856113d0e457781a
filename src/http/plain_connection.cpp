#include "http/plain_connection.hpp"

#include <cerrno>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "http/web_socket_stream.hpp"

namespace floodgate::http {

plain_connection::plain_connection(connection_home& home, const remote& peer, socket_poller& poller,
                                   int fd)
    : connection(home, peer), poller_(poller), fd_(fd) {}

plain_connection::~plain_connection() { close_transport(); }

void plain_connection::start() {
    if (!poller_.add(fd_, id)) close();
}

void plain_connection::on_ready(bool readable, bool writable) {
    if (writable && !unsent_.empty()) write_rest();
    if (readable && fd_ >= 0) read_some();
}

bool plain_connection::has_unread() {
    int bytes = 0;
    return ioctl(fd_, FIONREAD, &bytes) == 0 && bytes > 0;
}

void plain_connection::read_some() {
    const auto to = room();
    const ssize_t got = recv(fd_, to.data(), to.size(), 0);
    if (got > 0) {
        on_received(static_cast<std::size_t>(got));
    } else if (got == 0) {
        on_peer_finished();
    } else if (errno != EAGAIN && errno != EINTR) {
        close();
    }
}

void plain_connection::write(std::string_view bytes) {
    const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent == static_cast<ssize_t>(bytes.size())) {
        on_written();
    } else if (sent >= 0 || errno == EAGAIN || errno == EINTR) {
        unsent_.keep(bytes.substr(sent > 0 ? static_cast<std::size_t>(sent) : 0));
        want_to_write(true);
    } else {
        close();
    }
}

void plain_connection::write(const shared_answer& bytes) {
    unsent_.keep(bytes);
    write_rest();
}

void plain_connection::want_to_write(bool yes) {
    if (std::exchange(interest_.write, yes) != yes) watch();
}

void plain_connection::write_rest() {
    auto parts = unsent_.parts();
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const ssize_t sent = sendmsg(fd_, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return close();
    if (sent > 0) unsent_.drop(static_cast<std::size_t>(sent));
    want_to_write(!unsent_.empty());
    if (unsent_.empty()) on_written();
}

void plain_connection::want_more(bool yes) {
    interest_.read = yes;
    watch();
}

void plain_connection::watch() {
    if (fd_ >= 0 && !poller_.change(fd_, id, interest_)) close();
}

void plain_connection::shut_down() {
    shutdown(fd_, SHUT_WR);
    if (!interest_.read) want_more(true);
}

std::shared_ptr<push::web_socket> plain_connection::give_away(boost::asio::io_context& io,
                                                              const push::socket_world& world,
                                                              const upgrade_request& r) {
    using boost::asio::ip::tcp;
    tcp::socket socket(io);
    boost::system::error_code error;
    poller_.remove(fd_);
    int family = AF_INET;
    socklen_t size = sizeof family;
    getsockopt(fd_, SOL_SOCKET, SO_DOMAIN, &family, &size);
    socket.assign(family == AF_INET6 ? tcp::v6() : tcp::v4(), fd_, error);
    if (error) {
        close();
        return nullptr;
    }
    fd_ = -1;
    return make_web_socket(std::move(socket), world, r, give_place());
}

void plain_connection::close_transport() {
    if (fd_ < 0) return;
    poller_.remove(fd_);
    ::close(fd_);
    fd_ = -1;
}

}  // namespace floodgate::http
