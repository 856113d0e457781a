// One connection of an event loop to one Redis server. It never waits, sends appended commands in
// one write, gives the answers in order, and connects again when it was lost.
//
// After every connect the server has to answer a greeting (log-in, database, and PING or ROLE)
// before it gets a command. So a server that accepts connections but does not answer gets none.

#pragma once

#include <cstdint>
#include <string>

#include "store/redis/options.hpp"
#include "store/redis/resolver.hpp"
#include "store/redis/socket.hpp"

namespace floodgate::store {

class async_redis_connection {
public:
    using time = steady::time_point;
    enum class state : std::uint8_t { resting = 1, resolving, connecting, greeting, ready };

    // `epoll`: where the socket is watched, with `mark` as its data.
    async_redis_connection(std::string address, const redis_options& options, int epoll,
                           std::uint64_t mark);

    // Begins to connect if it is resting and the next try is due; gives up on a greeting that takes
    // too long.
    void tend(time now);
    // Something happened on the socket. Look at broken() and next().
    void on_ready(std::uint32_t events, time now);
    // Closes it; it rests for 50 ms, then 100 ms ... up to 1 s. Commands without an answer never
    // get one.
    void lose(time now);

    // While ready. Sent by flush(). Gives the number of answers to come.
    std::size_t append(const redis_command& command, const redis_sending& how = {}) {
        return socket_.append(command, how);
    }
    void flush();
    // The next answer, in the order of the commands. False: none has come in.
    bool next(redis_reply& out) { return socket_.next(out); }

    bool ready() const { return state_ == state::ready; }
    bool broken() const { return broken_ || socket_.broken(); }  // its owner calls lose()
    bool resting() const { return state_ == state::resting; }
    time attention_at(time now) const;  // when tend() will have something to do
    const std::string& address() const { return address_; }

private:
    void begin_connect(time now);
    void finish_connect(time now);
    void greet();
    void take_greeting();
    void watch_writing(bool wanted);

    const std::string address_;
    const redis_options& options_;
    const int epoll_;
    const std::uint64_t mark_;
    resolver name_;
    redis_socket socket_;
    state state_ = state::resting;
    bool watching_writing_ = false, broken_ = false, complained_ = false;
    std::size_t greetings_owed_ = 0;
    std::uint64_t failures_ = 0;  // since it was ready
    time again_at_{};             // resting: the next try; otherwise: when to give up
};

}  // namespace floodgate::store
