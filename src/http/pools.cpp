#include "http/pools.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

namespace floodgate::http {

namespace asio = boost::asio;

pools::pools(const pool_sizes& o)
    : queue_max_(o.queue_max),
      threads_{std::make_unique<asio::thread_pool>(o.general_threads),
               std::make_unique<asio::thread_pool>(o.password_threads),
               std::make_unique<asio::thread_pool>(o.admin_threads),
               std::make_unique<asio::thread_pool>(o.account_threads),
               std::make_unique<asio::thread_pool>(o.channel_threads),
               std::make_unique<asio::thread_pool>(o.message_threads)} {
    at(api::pool::general).threads = threads_[0].get();
    at(api::pool::password).threads = at(api::pool::strangers).threads = threads_[1].get();
    at(api::pool::admin).threads = threads_[2].get();
    at(api::pool::accounts).threads = threads_[3].get();
    at(api::pool::channels).threads = threads_[4].get();
    at(api::pool::messages).threads = threads_[5].get();
}

pools::~pools() { stop(); }

bool pools::enqueue(api::pool which, std::function<void()> work) {
    pool& p = at(which);
    if (p.waiting.fetch_add(1) >= queue_max_) {
        p.waiting.fetch_sub(1);
        return false;
    }
    auto counted = [&p, work = std::move(work)] {
        work();
        p.waiting.fetch_sub(1);
    };
    if (which == api::pool::password || which == api::pool::strangers) {
        hashing_.add(which == api::pool::password, std::move(counted));
        asio::post(*p.threads, [this] { hashing_.take()(); });
    } else {
        asio::post(*p.threads, std::move(counted));
    }
    return true;
}

std::size_t pools::waiting() const {
    std::size_t sum = 0;
    for (const pool& p : pools_) sum += p.waiting;
    return sum;
}

void pools::stop() {
    for (const auto& t : threads_) t->stop();
    for (const auto& t : threads_) t->join();
}

}  // namespace floodgate::http
