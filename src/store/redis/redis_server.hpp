// One Redis server as this process knows it: its connections, and whether it is worth asking.

#pragma once

#include <condition_variable>
#include <mutex>

#include "store/redis/redis_wire.hpp"

namespace floodgate::store {

// What became of a command.
struct redis_outcome {
    enum class kind : std::uint8_t {
        answered = 1,
        not_sent,  // the server is down or busy: certainly not executed
        unknown,   // sent, and no answer
    };
    kind what = kind::not_sent;
    redis_reply reply;
};

class redis_server {
public:
    redis_server(std::string address, const redis_options& options)
        : address_(std::move(address)), options_(options) {}

    // Over one of the kept connections. `asking`: as an ASK told us to.
    redis_outcome ask(const words& command, bool asking, steady::time_point deadline);

    // A connection lent to one thread; returned, or closed when something is still owed on it.
    class borrowed {
    public:
        borrowed() = default;
        borrowed(redis_server* from, std::unique_ptr<redis_wire> wire)
            : from_(from), wire_(std::move(wire)) {}
        borrowed(borrowed&& other) noexcept = default;
        borrowed& operator=(borrowed&&) = delete;
        ~borrowed();
        redis_wire* operator->() const { return wire_.get(); }
        explicit operator bool() const { return wire_ != nullptr; }

    private:
        redis_server* from_ = nullptr;
        std::unique_ptr<redis_wire> wire_;
    };
    // Nothing: it is down, or all connections are in use until the deadline.
    borrowed borrow(steady::time_point deadline);

    // A connection outside the count, for a line. Nothing: it is down.
    std::unique_ptr<redis_wire> connect();

    // After a time-out: nobody else need wait for this one now.
    void failed(std::string_view why);
    // The connection ended. That may be this connection's own fate: the next call finds out.
    void hung_up();
    void answered();
    bool seems_down() const;

    const std::string& address() const { return address_; }

private:
    bool worth_asking();
    std::unique_ptr<redis_wire> make_wire();
    void take_back(std::unique_ptr<redis_wire> wire);

    const std::string address_;
    const redis_options& options_;
    mutable std::mutex mutex_;
    std::condition_variable returned_;
    std::vector<std::unique_ptr<redis_wire>> idle_;
    std::size_t lent_ = 0;
    bool down_ = false;
    steady::time_point try_again_at_{};  // while down: one caller at that moment tries
};

}  // namespace floodgate::store
