// A socket that speaks Redis' protocol and never waits: the core of both clients' connections.
// hiredis parses the protocol, but does not own the socket: hiredis writes with write(), which
// raises SIGPIPE, and its asynchronous client does not distinguish commands that were sent from
// those that were not.

#pragma once

#include <memory>
#include <string>

#include "store/redis/command.hpp"
#include "store/redis/reply.hpp"
#include "store/redis/resolver.hpp"

struct redisReader;

namespace floodgate::store {

class redis_socket {
public:
    redis_socket() = default;
    ~redis_socket();
    redis_socket(const redis_socket&) = delete;
    redis_socket& operator=(const redis_socket&) = delete;

    // An errno value; 0: it is connected once it is writable and connect_error() is 0, too.
    int begin_connect(const socket_address& to);
    int connect_error() const;
    void close();

    // Into the buffer. Gives the number of answers to come.
    std::size_t append(const redis_command& command, const redis_sending& how = {}) {
        return command.write_to(out_, how);
    }
    void append(const words& command) { command.write_to(out_); }
    // Sends what can be sent now. False: there is more, or it is broken.
    bool flush();
    // Reads what is there.
    void read();
    // The next answer. False: none is complete. Answers that came before the connection broke still
    // count.
    bool next(redis_reply& out);

    bool broken() const { return broken_; }
    int fd() const { return fd_; }  // -1: closed

private:
    struct reader_freer {
        void operator()(redisReader* r) const;
    };
    int fd_ = -1;
    bool broken_ = false;
    std::unique_ptr<redisReader, reader_freer> reader_;
    std::string out_;
    std::size_t written_ = 0;  // of out_
};

}  // namespace floodgate::store
