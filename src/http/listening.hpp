// The listening sockets: one for each event loop, all on the same port. The kernel distributes the
// clients.

#pragma once

#include <string>
#include <vector>

namespace floodgate::http {

struct listening_sockets {
    std::vector<int> descriptors;
    bool ipv6 = false;
    std::string address;  // "127.0.0.1:8080", "[::1]:8080": with the actual port
};

// `where` is host:port or [ipv6]:port; the host an address or "localhost"; port 0 takes a free one.
// Throws std::runtime_error: not an address, port taken (also by another process that shares it),
// no permission.
listening_sockets listen_on(const std::string& where, std::size_t count);

// Throws like listen_on if `where` is not an address; opens nothing.
void check_address(const std::string& where);

}  // namespace floodgate::http
