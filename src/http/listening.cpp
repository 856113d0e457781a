#include "http/listening.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cerrno>
#include <stdexcept>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

#include "base/endpoint.hpp"

namespace floodgate::http {
namespace {

using boost::asio::ip::tcp;

constexpr int accept_queue = 4096;
// The bytes that the kernel buffers for a client that does not read; accepted sockets inherit it.
// By default the kernel would buffer megabytes.
constexpr int kernel_bytes = 65'536;

tcp::endpoint parse(const std::string& where) {
    const auto wrong = [&] {
        return std::runtime_error("cannot listen on '" + where +
                                  "': it must be host:port, such as 127.0.0.1:8080 or [::1]:8080");
    };
    try {
        const endpoint at = parse_endpoint(where, 0);
        boost::system::error_code error;
        const auto address =
            boost::asio::ip::make_address(at.host == "localhost" ? "127.0.0.1" : at.host, error);
        if (error) throw wrong();
        return {address, at.port};
    } catch (const endpoint_error&) {
        throw wrong();
    }
}

// With `shared`, several sockets of this process may have the port.
int bound(const tcp::endpoint& to, bool shared) {
    const int fd = socket(to.protocol().family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const int on = 1;
    if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &kernel_bytes, sizeof kernel_bytes);
    if (fd >= 0 && shared) setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
    if (fd < 0 || bind(fd, to.data(), static_cast<socklen_t>(to.size())) != 0) {
        const std::string why = std::generic_category().message(errno);
        if (fd >= 0) close(fd);
        throw std::runtime_error("cannot listen on " + to.address().to_string() + ":" +
                                 std::to_string(to.port()) + ": " + why);
    }
    return fd;
}

tcp::endpoint name_of(int fd) {
    tcp::endpoint name;
    auto size = static_cast<socklen_t>(name.capacity());
    if (getsockname(fd, name.data(), &size) != 0)
        throw std::system_error(errno, std::generic_category(), "getsockname");
    name.resize(size);
    return name;
}

}  // namespace

void check_address(const std::string& where) { parse(where); }

listening_sockets listen_on(const std::string& where, std::size_t count) {
    const tcp::endpoint wanted = parse(where);
    // First without sharing: this fails when another process listens there, shared or not.
    // Otherwise two servers would silently share the buyers.
    const int probe = bound(wanted, false);
    const tcp::endpoint to = name_of(probe);
    close(probe);

    listening_sockets out;
    out.ipv6 = to.address().is_v6();
    const std::string host = to.address().to_string();
    out.address = (out.ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(to.port());
    for (std::size_t i = 0; i < count; ++i) {
        out.descriptors.push_back(bound(to, count > 1));
        if (listen(out.descriptors.back(), accept_queue) != 0)
            throw std::runtime_error("cannot listen on " + out.address + ": " +
                                     std::generic_category().message(errno));
    }
    return out;
}

}  // namespace floodgate::http
