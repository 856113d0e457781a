// The threads for work that blocks. All loops share them.
//
// Password hashes wait in one of two queues for the same threads: `password` for log-ins of known
// phone numbers, `strangers` for all others and for registrations. While both have work, three of
// the first are taken for each one of the second (turns.hpp), so strangers cannot hold up the
// buyers, and buyers do not starve strangers.

#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>

#include "api/routes.hpp"
#include "http/server_options.hpp"
#include "http/turns.hpp"

namespace boost::asio {
class thread_pool;
}

namespace floodgate::http {

class pools {
public:
    explicit pools(const pool_sizes& o);
    ~pools();

    // Any thread. False: this queue is full.
    bool enqueue(api::pool which, std::function<void()> work);

    // Work that is waiting or under way, in all pools.
    std::size_t waiting() const;

    // Lets current work finish and drops the rest.
    void stop();

private:
    struct pool {
        boost::asio::thread_pool* threads = nullptr;
        std::atomic<std::size_t> waiting{0};
    };
    pool& at(api::pool which) { return pools_[static_cast<std::size_t>(which) - 1]; }

    const std::size_t queue_max_;
    std::array<pool, api::pools> pools_;
    turns hashing_;
    std::array<std::unique_ptr<boost::asio::thread_pool>, 6> threads_;
};

}  // namespace floodgate::http
