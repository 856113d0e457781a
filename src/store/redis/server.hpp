// One Redis server: its connections, and whether it can be asked at the moment.

#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "store/redis/connection.hpp"

namespace floodgate::store {

// The outcome of a command.
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

    // Over one of the kept connections.
    redis_outcome ask(const redis_command& command, const redis_sending& how,
                      steady::time_point deadline);

    // A connection lent to one thread. It is returned, or closed if an answer is still outstanding.
    class borrowed {
    public:
        borrowed() = default;
        borrowed(redis_server* from, std::unique_ptr<redis_connection> connection)
            : from_(from), connection_(std::move(connection)) {}
        borrowed(borrowed&& other) noexcept = default;
        borrowed& operator=(borrowed&&) = delete;
        ~borrowed();
        redis_connection* operator->() const { return connection_.get(); }
        redis_connection& operator*() const { return *connection_; }
        explicit operator bool() const { return connection_ != nullptr; }

    private:
        redis_server* from_ = nullptr;
        std::unique_ptr<redis_connection> connection_;
    };
    // Empty: the server is down, or all connections are in use until the deadline.
    borrowed borrow(steady::time_point deadline);

    // A dedicated connection, which is not counted. Null: the server is down.
    std::unique_ptr<redis_connection> connect();

    // The outcome of an exchange over one of its connections.
    redis_outcome judge(const redis_connection& over, std::optional<redis_reply> reply);
    bool seems_down() const;

    const std::string& address() const { return address_; }

private:
    bool worth_asking();
    std::unique_ptr<redis_connection> make_connection();
    void take_back(std::unique_ptr<redis_connection> connection);
    // After a time-out: marks the server as down, so that no other call waits for it now.
    void failed(std::string_view why);
    // A connection was closed by the server. Others may still work; the next call finds out.
    void hung_up();
    void answered();

    const std::string address_;
    const redis_options& options_;
    mutable std::mutex mutex_;
    std::condition_variable returned_;
    std::vector<std::unique_ptr<redis_connection>> idle_;
    std::size_t lent_ = 0;
    bool down_ = false;
    steady::time_point try_again_at_{};  // while down: one caller at that moment tries
};

}  // namespace floodgate::store
