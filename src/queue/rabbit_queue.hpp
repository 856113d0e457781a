// RabbitMQ as the way to the ledger, with the partition's stream as its outbox.
//
// The gate still takes a unit and appends the promise in one script, so nothing can be lost between
// the two. A relay moves entries from the stream to a quorum queue: it publishes an entry, waits
// for the confirm, and only then removes it from the stream. The clerk's side takes entries from
// the queue and acknowledges those that the ledger has. An entry may be published twice; the second
// one is dropped.
//
// Both sides are one thread with one connection, which holds the partition's lock: a queue that
// belongs to the connection (NAME.holder.P). A node that was stopped for too long has lost the lock
// with its connection, and can neither publish nor acknowledge any more.
//
// While RabbitMQ is unreachable the stream keeps everything, and durable() still grows.

#pragma once

#include <atomic>
#include <string>

#include "base/failure_log.hpp"
#include "base/periodic_task.hpp"
#include "queue/partition_stream.hpp"
#include "queue/promise_queue.hpp"
#include "queue/received_line.hpp"
#include "queue/relay.hpp"
#include "store/rabbit/rabbit.hpp"

namespace floodgate::queue {

struct rabbit_queue_options {
    std::string name = "fg";  // the cluster's: before every key, queue and exchange
    sale::partition partition;
    std::string consumer;          // the node's owner id: never the same for two nodes
    std::uint16_t prefetch = 128;  // entries received and not entered yet
    milliseconds wait{50};         // at the stream, when there is nothing to do
    milliseconds wait_for_delivery{20};
    milliseconds watch_every{50};    // how often the gate's count is read without RabbitMQ
    milliseconds check_every{1000};  // how often otherwise
    milliseconds retry_after{250};
    milliseconds stop_patience{500};   // for the last acknowledgements, when it stops
    milliseconds hold_patience{1000};  // for the partition's lock, which another node may let go
};

class rabbit_queue final : public promise_queue {
public:
    struct figures {                                                     // since it was made
        std::uint64_t relayed = 0, received = 0, doubled = 0, dead = 0;  // messages
        std::uint64_t failures = 0;                                      // steps
        bool connected = false;
    };

    rabbit_queue(store::redis& redis, const store::rabbit_options& rabbit, rabbit_queue_options o);
    ~rabbit_queue() override;

    // store_unavailable also while another connection holds the partition.
    result<std::vector<sale::promise>> left_behind(std::size_t max) override;
    result<void> forget() override;
    void start(sale::sequence entered, std::function<void()> news) override;
    void stop() override;
    result<void> read(sale::sequence after, std::size_t max,
                      std::vector<sale::promise>& out) override;
    void entered(sale::sequence position) override;
    sale::sequence durable() const override;

    figures read_figures() const;

private:
    void halt();
    next_step step();
    result<void> work();
    void finish();
    result<void> attach();
    result<void> prepare();
    result<void> prepare_soon();
    result<void> hold();
    result<void> acknowledge();
    result<void> note_entered();
    result<void> move();
    result<void> receive();
    result<void> judge(const store::rabbit_delivery& d);
    result<void> bury(const store::rabbit_delivery& d);
    result<void> drain(std::size_t max);
    result<void> watch(milliseconds every);
    void break_off(const char* event, sale::line_place at);

    const rabbit_queue_options options_;
    store::rabbit rabbit_;
    partition_stream stream_;
    relay relay_;
    received_line line_;
    std::function<void()> news_;
    std::uint64_t prepared_ = 0, consuming_ = 0;  // connections' numbers
    bool out_of_order_ = false;                   // tags, on this connection
    std::uint64_t noted_ = 0;                     // what the gate was told last
    bool fresh_ = false;                          // something to read has come
    moment watched_{};

    struct leftovers {  // what left_behind() took from RabbitMQ
        std::uint64_t connection = 0;
        std::uint64_t last_tag = 0;
        std::vector<sale::promise> promises;
    } left_;

    std::atomic<std::uint64_t> received_{0}, doubled_{0}, dead_{0}, failed_{0};
    std::atomic<bool> connected_{false};
    bool failing_ = false;  // the latest step's outcome
    failure_log failures_;
    periodic_task task_;
};

}  // namespace floodgate::queue
