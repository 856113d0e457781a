// HOST:PORT to socket addresses.

#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <vector>

#include "base/endpoint.hpp"

namespace floodgate::store {

struct socket_address {
    sockaddr_storage where{};
    socklen_t size = 0;
};

// Waits for the name service. Empty: the name is not known.
std::vector<socket_address> resolve(const endpoint& of);

// Never waits: a numeric address is known at once; a name is looked up by a thread, because the
// name service may take seconds. The destructor waits for a look-up that is under way.
class resolver {
public:
    explicit resolver(const std::string& address);

    // Looks the name up again, unless that is under way.
    void ask();
    bool known() const { return done_.load(std::memory_order_acquire); }
    // Gives one address after the other. Empty: the name is not known.
    std::optional<socket_address> next();

private:
    const std::optional<endpoint> of_;
    bool numeric_ = false;
    std::atomic<bool> done_ = true;
    std::vector<socket_address> found_;  // the thread's until done_
    std::size_t turn_ = 0;
    std::jthread thread_;
};

}  // namespace floodgate::store
