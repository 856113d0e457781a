// Ports for servers that a test starts itself.

#pragma once

#include <arpa/inet.h>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <netinet/in.h>
#include <random>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace floodgate::store {

inline bool can_be_listened_on(int port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    at.sin_port = htons(static_cast<std::uint16_t>(port));
    const bool free = ::bind(fd, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0;
    ::close(fd);
    return free;
}

// The claim is a name that only one process can have. It is ours until this process ends;
// tests/server_process.py asks for the same names.
inline bool claim_port(int port) {
    const std::string name = "floodgate-port-" + std::to_string(port);
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    name.copy(at.sun_path + 1, name.size());  // after a zero: not a file
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::bind(fd, reinterpret_cast<sockaddr*>(&at), size) == 0 && can_be_listened_on(port)) {
        return true;
    }
    ::close(fd);
    return false;
}

// A port of 127.0.0.1 that no other test gets, whether its server runs at the moment or not. The
// kernel does not take it for an outgoing connection either.
inline int free_port() {
    int low = 0;
    int high = 0;
    std::ifstream("/proc/sys/net/ipv4/ip_local_port_range") >> low >> high;
    std::random_device chance;
    std::uniform_int_distribution<int> ports(10240, 65535);
    for (int i = 0; i < 10000; ++i) {
        const int port = ports(chance);
        if ((port < low || port > high) && claim_port(port)) return port;
    }
    std::abort();
}

}  // namespace floodgate::store
