// HOST:PORT to a socket address without ever waiting: a number at once, a name through a thread of
// its own, since the name service may take seconds.

#pragma once

#include <memory>
#include <string>
#include <sys/socket.h>

namespace floodgate::store {

struct socket_address {
    sockaddr_storage where{};
    socklen_t size = 0;  // 0: nobody knows the name
};

class redis_name {
public:
    explicit redis_name(const std::string& address);

    // Asks again, unless it is a number or an answer is under way.
    void ask();
    bool known() const;  // an answer is there
    socket_address get() const;

private:
    struct answer;
    std::string host_, port_;
    std::shared_ptr<answer> answer_;  // shared with the thread, which may outlive us
    bool numeric_ = false;
};

}  // namespace floodgate::store
