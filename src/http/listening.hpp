// Sockets that listen: one for each event loop on the same port, the kernel spreads the clients.

#pragma once

#include <string>
#include <vector>

namespace floodgate::http {

struct listening_sockets {
    std::vector<int> descriptors;
    bool ipv6 = false;
    std::string address;  // "127.0.0.1:8080", "[::1]:8080": with the port that was really taken
};

// `where` is host:port or [ipv6]:port; the host an address or "localhost"; port 0 takes a free one.
// Throws std::runtime_error: not an address, port taken (also by another process that shares it),
// no permission.
listening_sockets listen_on(const std::string& where, std::size_t count);

// Throws as listen_on does for what is not an address; touches nothing.
void check_address(const std::string& where);

}  // namespace floodgate::http
