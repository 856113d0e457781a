// "Look at the deadlines in fifteen minutes": delayed messages by RabbitMQ.
//
// A reminder waits in the queue of its delay (NAME.delay.MS) until its time to live ends. It is
// then dead-lettered to the exchange NAME.due, which sends it to every node, and so also to the one
// that closes orders. There is one queue for each delay, because messages expire only at the head
// of a queue. A delay queue that is no longer used expires by itself.
//
// Reminders are only hints: deadlines are found by polling as well. So nothing is retried for long,
// and reminders of one delay that come close together become one.

#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/periodic_task.hpp"
#include "base/result.hpp"
#include "store/rabbit/rabbit.hpp"

namespace floodgate::queue {

struct reminders_options {
    milliseconds together{100};  // at most one reminder of a delay in this time
    milliseconds retry_after{1000};
    std::size_t delays_max = 64;  // different delays; further ones are rounded up to one of these
    milliseconds delay_max = std::chrono::hours(24);  // longer ones are left to polling
};

class reminders {
public:
    struct figures {  // since start
        std::uint64_t sent = 0, due = 0, dropped = 0;
        bool connected = false;
    };

    // `name` is the cluster's, the prefix of every queue and exchange. `on_due` is called on the
    // reminders' own thread.
    reminders(const store::rabbit_options& rabbit, std::string name, std::function<void()> on_due,
              reminders_options o = {}, const monotonic_clock& clock = machine_time);
    ~reminders();  // stop()

    void start();
    void stop();  // within about a second. Idempotent

    // Any thread; queues the reminder and returns. The delay is rounded up to whole seconds.
    void remind(milliseconds after);
    figures read_figures() const;

private:
    struct delay {
        bool wanted = false;
        moment sent{};
    };

    next_step step();
    result<void> work();
    result<void> attach(std::uint64_t connection);
    result<void> send();
    result<void> declare(milliseconds after);
    result<void> hear();
    std::string delay_queue(milliseconds after) const;
    std::vector<milliseconds> to_send();
    milliseconds until_next();

    const std::string name_;
    const reminders_options options_;
    const std::function<void()> on_due_;
    const monotonic_clock& clock_;
    store::rabbit rabbit_;
    std::uint64_t attached_ = 0;               // the connection's number
    std::map<milliseconds, moment> declared_;  // on this connection, and when

    std::atomic<std::uint64_t> sent_{0}, due_{0}, dropped_{0};
    std::atomic<bool> connected_{false};
    std::mutex mutex_;
    std::map<milliseconds, delay> delays_;  // guarded by mutex_
    periodic_task task_;
};

}  // namespace floodgate::queue
