// One connection of an event loop to one Redis server: never waits, writes what was appended in one
// go, and gives the answers back in order. hiredis reads the protocol; the socket is ours, because
// its asynchronous client does not tell a command that was sent from one that was not.
//
// After every connect the server has to answer a greeting (login, database, and PING or ROLE)
// before it is trusted with a command: a server that takes connections and does not answer gets
// nothing.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "store/redis/redis.hpp"
#include "store/redis/redis_name.hpp"

struct redisReader;

namespace floodgate::store {

// Words on their way to a server, in its protocol.
class redis_words {
public:
    void add(std::string_view word);
    void add(const std::string& word) { add(std::string_view(word)); }
    void add(const char* word) { add(std::string_view(word)); }
    void add(std::int64_t number);
    void add(const redis_words& more);
    std::size_t count() const { return count_; }
    const std::string& bytes() const { return bytes_; }

    // The command these words are, after `first`.
    void write_to(std::string& out, std::initializer_list<std::string_view> first = {}) const;

private:
    std::string bytes_;
    std::size_t count_ = 0;
};

class redis_channel {
public:
    using time = std::chrono::steady_clock::time_point;
    enum class state : std::uint8_t { resting = 1, resolving, connecting, greeting, ready };

    // `epoll`: where the socket is watched, with `mark` as its data.
    redis_channel(std::string address, const redis_options& options, int epoll, std::uint64_t mark);
    ~redis_channel();
    redis_channel(const redis_channel&) = delete;
    redis_channel& operator=(const redis_channel&) = delete;

    // Begins to connect when it rests and the time for the next try has come; gives up on a
    // greeting that takes too long.
    void tend(time now);
    // Something happened on the socket. Look at broken() and next().
    void on_ready(std::uint32_t events, time now);
    // Closes it; it rests for 50 ms, then 100 ms ... up to 1 s. What was not answered never will.
    void lose(time now);

    // While ready. Sent by flush().
    void append(const redis_words& rest, std::initializer_list<std::string_view> first = {}) {
        rest.write_to(out_, first);
    }
    void flush();
    // The next answer, in the order of the commands. False: none has come in.
    bool next(redis_reply& out);

    bool ready() const { return state_ == state::ready; }
    bool broken() const { return broken_; }  // to be lost by whoever owns it
    bool resting() const { return state_ == state::resting; }
    time attention_at(time now) const;  // when tend() will have something to do
    const std::string& address() const { return address_; }

private:
    void begin_connect(time now);
    void finish_connect(time now);
    void greet();
    void take_greeting();
    void read();
    void watch_writing(bool wanted);
    void close();

    struct reader_freer {
        void operator()(redisReader* r) const;
    };
    const std::string address_;
    const redis_options& options_;
    const int epoll_;
    const std::uint64_t mark_;
    redis_name name_;
    int fd_ = -1;
    state state_ = state::resting;
    bool watching_writing_ = false, broken_ = false, complained_ = false;
    std::unique_ptr<redisReader, reader_freer> reader_;
    std::string out_;
    std::size_t written_ = 0;  // of out_
    std::size_t greetings_owed_ = 0;
    time again_at_{};  // resting: the next try; otherwise: the end of our patience
    milliseconds pause_;
};

}  // namespace floodgate::store
