// The threads for work that blocks. All loops share them.

#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>

#include "api/routes.hpp"
#include "http/server_options.hpp"

namespace boost::asio {
class thread_pool;
}

namespace floodgate::http {

class pools {
public:
    explicit pools(const pool_sizes& o);
    ~pools();

    // Any thread. False: as much waits for this pool as may.
    bool enqueue(api::pool which, std::function<void()> work);

    // Waiting or under way, in all pools.
    std::size_t waiting() const;

    // Lets what is under way finish and drops the rest.
    void stop();

private:
    struct pool {
        std::unique_ptr<boost::asio::thread_pool> threads;
        std::atomic<std::size_t> waiting{0};
    };
    pool& at(api::pool which) { return pools_[static_cast<std::size_t>(which) - 1]; }

    const std::size_t queue_max_;
    std::array<pool, api::pools> pools_;
};

}  // namespace floodgate::http
