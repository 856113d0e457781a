// Brings work from other threads into a loop, and hands work of a loop to the pools and brings the
// result back.

#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <functional>
#include <utility>

#include "http/answers.hpp"
#include "http/connections.hpp"
#include "http/pools.hpp"

namespace floodgate::http {

class loop_tasks {
public:
    using in_turn = std::function<void(const std::function<void()>&)>;

    // `turn` runs its argument as a turn of the loop.
    loop_tasks(boost::asio::io_context& io, pools& threads, connections& all, answers& out,
               in_turn turn)
        : io_(io), pools_(threads), connections_(all), out_(out), in_turn_(std::move(turn)) {}

    // Any thread: runs work() in a turn of the loop.
    template <class Work>
    void post(Work work) {
        boost::asio::post(io_, [this, work = std::move(work)] { in_turn_([&] { work(); }); });
    }

    // Runs work() in a pool, then then(its result) in a turn of the loop. False: the pool is full.
    template <class Work, class Then>
    bool run_in_pool(api::pool which, Work work, Then then) {
        return pools_.enqueue(which, [this, work = std::move(work), then = std::move(then)] {
            post([then, found = work()] { then(found); });
        });
    }

    // The same for a request: calls then(connection, result) if the connection still exists. False:
    // the pool is full, and the request was answered so.
    template <class Work, class Then>
    bool run_in_pool(connection& from, api::pool which, Work work, Then then) {
        const bool queued =
            run_in_pool(which, std::move(work),
                        [this, id = from.id, then = std::move(then)](const auto& found) {
                            if (connection* to = connections_.find(id)) then(*to, found);
                        });
        if (!queued) out_.send_busy(from);
        return queued;
    }

private:
    boost::asio::io_context& io_;
    pools& pools_;
    connections& connections_;
    answers& out_;
    const in_turn in_turn_;
};

}  // namespace floodgate::http
