#include "store/redis/resolver.hpp"

#include <cstring>
#include <netdb.h>
#include <system_error>

namespace floodgate::store {
namespace {

std::vector<socket_address> look_up(const endpoint& of, int flags) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    std::vector<socket_address> out;
    const std::string port = std::to_string(of.port);
    if (::getaddrinfo(of.host.c_str(), port.c_str(), &hints, &found) != 0) return out;
    for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
        socket_address& to = out.emplace_back();
        std::memcpy(&to.where, one->ai_addr, one->ai_addrlen);
        to.size = one->ai_addrlen;
    }
    ::freeaddrinfo(found);
    return out;
}

}  // namespace

std::vector<socket_address> resolve(const endpoint& of) { return look_up(of, 0); }

resolver::resolver(const std::string& address) : of_(endpoint_from_server(address)) {
    if (of_) found_ = look_up(*of_, AI_NUMERICHOST);
    numeric_ = !of_ || !found_.empty();
}

void resolver::ask() {
    if (numeric_ || !known()) return;
    done_.store(false, std::memory_order_relaxed);
    try {
        thread_ = std::jthread([this] {  // joins the one before, which is done
            found_ = resolve(*of_);
            done_.store(true, std::memory_order_release);
        });
    } catch (const std::system_error&) {
        found_.clear();  // no thread to be had: not known this time
        done_ = true;
    }
}

std::optional<socket_address> resolver::next() {
    if (found_.empty()) return std::nullopt;
    return found_[turn_++ % found_.size()];
}

}  // namespace floodgate::store
