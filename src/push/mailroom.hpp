// Brings news of orders from the thread that made the move to the loops whose clients listen.
//
// Nothing can be missed between looking and listening: a client is entered here first and then
// looks at the present state; news is put into `recent` first and then sent to the listeners.

#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "push/listeners.hpp"
#include "shop/recent_orders.hpp"

namespace floodgate::push {

struct socket_options {
    std::size_t connections_max = 20'000;        // WebSockets in all; above it: busy
    std::size_t per_user_max = 5;                // above it the user's oldest socket is closed
    milliseconds heartbeat{30'000};              // a client that was silent so long gets a ping
    std::size_t unsent_messages_max = 64;        // above this or the bytes, a socket is closed;
    std::size_t unsent_bytes_max = 262'144;      // its next hello has what it missed
    std::vector<std::string> allowed_origins{};  // besides the shop's own: "https://shop.example"
};

struct mailroom_options {
    std::size_t waiters_max = 10'000;       // long polls; above it they are answered at once
    std::size_t waiters_per_user_max = 10;  // above it the user's oldest poll is answered
    socket_options sockets{};
};

class mailroom {
public:
    // Everything that is delivered is also put into `recent`, which must outlive this.
    explicit mailroom(shop::recent_orders& recent, mailroom_options o = {})
        : options_(std::move(o)), recent_(recent) {}

    // Any thread, after the moves are durable. Costs next to nothing when there are no listeners.
    void deliver(std::span<const sale::order_news> news);

    // Some news may have been lost, so listening clients should ask again. Any thread.
    void note_missed();

    // Sends a message to every socket that wants the live view. Any thread; next to nothing when
    // there is none.
    void show(const std::shared_ptr<const std::string>& message);
    bool has_viewers() const { return viewers_.load(std::memory_order_relaxed) > 0; }
    void count_viewer(int more) { viewers_ += more; }

    const mailroom_options& options() const { return options_; }

    // A loop's box. Its functions are called on any thread, must only hand over to the loop, and
    // must not call the mailroom. They are not called after close_box().
    struct box {
        std::function<void(std::vector<sale::order_news>)> news;
        std::function<void(std::uint64_t socket)> replaced;  // by a newer one of the same user
        std::function<void()> missed{};                      // news may have been lost
        // A user has too many polls, and the one of this connection has waited longest.
        std::function<void(std::uint64_t connection)> waited_enough{};
        std::function<void(std::shared_ptr<const std::string>)> live{};  // for its viewers
    };
    std::uint32_t open_box(box b);
    void close_box(std::uint32_t loop);

    // False: too many wait already.
    bool start_waiting(sale::order_no order, sale::user_id buyer, listener who);
    void stop_waiting(sale::order_no order, sale::user_id buyer, listener who);

    // False: there are too many sockets already.
    bool join(sale::user_id buyer, listener who);
    void leave(sale::user_id buyer, listener who);

    // Counted by the loops, shown by the metrics.
    struct counters {
        std::atomic<std::uint64_t> opened{0}, refused{0}, messages{0}, overflowed{0};
    };
    counters& count() { return counters_; }

    struct figures {
        std::uint64_t sockets = 0, opened = 0, refused = 0, messages = 0, overflowed = 0;
        std::uint64_t waiters = 0;
    };
    figures read_figures() const;

private:
    bool anybody_listens() const { return buyers_.count() + orders_.count() > 0; }

    const mailroom_options options_;
    shop::recent_orders& recent_;
    listeners buyers_, orders_;
    listeners waiters_;  // the same as in orders_, but by buyer, to count them
    counters counters_;
    std::atomic<int> viewers_{0};  // sockets that want the live view
    std::mutex mutex_;
    std::vector<box> boxes_;  // guarded by mutex_; one that is closed is empty
};

}  // namespace floodgate::push
