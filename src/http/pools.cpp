#include "http/pools.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

namespace floodgate::http {

namespace asio = boost::asio;

pools::pools(const pool_sizes& o) : queue_max_(o.queue_max) {
    at(api::pool::general).threads = std::make_unique<asio::thread_pool>(o.general_threads);
    at(api::pool::password).threads = std::make_unique<asio::thread_pool>(o.password_threads);
    at(api::pool::admin).threads = std::make_unique<asio::thread_pool>(o.admin_threads);
}

pools::~pools() { stop(); }

bool pools::enqueue(api::pool which, std::function<void()> work) {
    pool& p = at(which);
    if (p.waiting.fetch_add(1) >= queue_max_) {
        p.waiting.fetch_sub(1);
        return false;
    }
    asio::post(*p.threads, [&p, work = std::move(work)] {
        work();
        p.waiting.fetch_sub(1);
    });
    return true;
}

std::size_t pools::waiting() const {
    std::size_t sum = 0;
    for (const pool& p : pools_) sum += p.waiting;
    return sum;
}

void pools::stop() {
    for (const pool& p : pools_) p.threads->stop();
    for (const pool& p : pools_) p.threads->join();
}

}  // namespace floodgate::http
