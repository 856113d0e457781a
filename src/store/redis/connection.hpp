// One connection to one Redis server: commands out, answers in, each with a deadline. Used by one
// thread at a time, which waits.

#pragma once

#include <optional>
#include <string>

#include "store/redis/options.hpp"
#include "store/redis/socket.hpp"

namespace floodgate::store {

class redis_connection {
public:
    // Connects, logs in, chooses the database. Throws redis_failure (store/redis/handshake.hpp).
    redis_connection(std::string address, const redis_options& options);

    // Into the buffer; sent by flush().
    void append(const redis_command& command, const redis_sending& how = {}) {
        owed_ += socket_.append(command, how);
    }
    // False: the connection is broken, or the server takes nothing more; some may have been sent.
    bool flush(steady::time_point deadline);
    // The next answer. Empty: the deadline passed, `interrupt` (a descriptor) became readable, or
    // the connection broke.
    std::optional<redis_reply> receive(steady::time_point deadline, int interrupt = -1);
    // A command and its answer.
    std::optional<redis_reply> ask(const redis_command& command, const redis_sending& how,
                                   steady::time_point deadline, int interrupt = -1);

    bool broken() const { return broken_ || socket_.broken(); }
    bool reusable() const;  // no answer is outstanding, and the server has not hung up
    const std::string& address() const { return address_; }

private:
    bool wait_for(short events, steady::time_point deadline, int interrupt = -1) const;
    void connect(steady::time_point deadline);
    void log_in(const redis_options& options);

    const std::string address_;
    redis_socket socket_;
    std::size_t owed_ = 0;  // answers to come
    bool broken_ = false;
};

}  // namespace floodgate::store
