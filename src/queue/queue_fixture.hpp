// For tests: a partition of a new cluster, in the Redis and RabbitMQ that the environment names.
// The test does the gate's part.

#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <numeric>
#include <thread>

#include "base/eventually.hpp"
#include "queue/rabbit_queue.hpp"
#include "queue/stream_queue.hpp"
#include "store/redis/redis_fixture.hpp"

namespace floodgate::queue {

using namespace std::chrono_literals;

enum class way { stream = 1, stream_on_cluster, rabbit };

inline store::rabbit_options shared_rabbit() {
    const char* address = std::getenv("FLOODGATE_TEST_RABBITMQ");  // NOLINT(concurrency-mt-unsafe)
    store::rabbit_options o;
    o.addresses.clear();
    if (address != nullptr) o.addresses.emplace_back(address);
    return o;
}

inline sale::promise promise_for(std::uint64_t order) {
    return {.order = {order}, .sale = {3}, .buyer = {7}, .quantity = 1, .unit_price = {9900}};
}

inline std::vector<std::uint64_t> orders_of(const std::vector<sale::promise>& promises) {
    std::vector<std::uint64_t> out;
    out.reserve(promises.size());
    for (const sale::promise& p : promises) out.push_back(p.order.value);
    return out;
}

inline std::vector<std::uint64_t> from_to(std::uint64_t first, std::uint64_t last) {
    std::vector<std::uint64_t> out(last + 1 - first);
    std::iota(out.begin(), out.end(), first);
    return out;
}

class queue_fixture {
public:
    explicit queue_fixture(way which)
        : which_(which), redis_(store::shared_redis(which == way::stream_on_cluster)) {}
    queue_fixture(way which, store::redis_options at) : which_(which), redis_(std::move(at)) {}
    ~queue_fixture() {
        for (const std::string& key : {line, gate, dead}) (void)redis_.ask(key, {"DEL", key});
        if (which_ != way::rabbit) return;
        store::rabbit r(shared_rabbit());
        if (!r.open()) return;
        (void)r.delete_queue(rabbit_queue_name());
        (void)r.delete_queue(name + ".dead");
        (void)r.delete_exchange(name + ".promises");
        (void)r.delete_exchange(name + ".dead");
    }
    queue_fixture(const queue_fixture&) = delete;
    queue_fixture& operator=(const queue_fixture&) = delete;

    static bool is_there(way which) {
        if (store::shared_redis(which == way::stream_on_cluster).addresses.empty()) return false;
        return which != way::rabbit || !shared_rabbit().addresses.empty();
    }

    std::unique_ptr<promise_queue> open(const std::string& consumer, std::size_t buffer = 65'536) {
        if (which_ == way::rabbit)
            return std::make_unique<rabbit_queue>(redis_, shared_rabbit(),
                                                  rabbit_queue_options{.name = name,
                                                                       .partition = partition,
                                                                       .consumer = consumer,
                                                                       .stop_patience = 20s,
                                                                       .hold_patience = 20s});
        return std::make_unique<stream_queue>(
            redis_,
            stream_queue_options{
                .name = name, .partition = partition, .consumer = consumer, .buffer_max = buffer});
    }

    // Appends the promises first .. last of the epoch, as the gate's script does, under their
    // numbers (or others).
    void append(std::uint64_t first, std::uint64_t last, std::uint64_t epoch = 1,
                std::uint64_t first_order = 0) {
        std::vector<sale::promise> promises;
        for (std::uint64_t n = first; n <= last; ++n)
            promises.push_back(promise_for(first_order == 0 ? n : first_order + n - first));
        append_bytes({epoch, last}, sale::encode_entry(promises));
    }
    void append_bytes(sale::line_place last, const std::string& body) {
        ASSERT_TRUE(redis_.ask(line, {"XADD", line, sale::entry_id(last), "p", body}));
    }

    std::int64_t length() {
        const auto reply = redis_.ask(line, {"XLEN", line});
        return reply ? reply->integer : -1;
    }
    std::string gate_field(const std::string& field) {
        const auto reply = redis_.ask(gate, {"HGET", gate, field});
        return reply ? reply->text : "";
    }
    void set_gate(std::uint64_t epoch, std::uint64_t seq) {
        ASSERT_TRUE(redis_.ask(gate, {"HSET", gate, "epoch", std::to_string(epoch), "seq",
                                      std::to_string(seq), "entered", "0"}));
    }
    std::string rabbit_queue_name() const {
        return name + ".promises." + std::to_string(partition.number);
    }
    store::redis& redis() { return redis_; }

    const std::string name = store::random_name("queue");
    const sale::partition partition{3};
    const std::string line = sale::key_of(name, partition, "line");
    const std::string gate = sale::key_of(name, partition, "gate");
    const std::string dead = sale::key_of(name, partition, "dead");

private:
    way which_;
    store::redis redis_;
};

inline sale::sequence at(std::uint64_t number, std::uint64_t epoch = 1) {
    return sale::to_sequence({epoch, number});
}

// Reads `count` promises after `after`, as they come; fewer when they do not.
inline std::vector<std::uint64_t> read_orders(promise_queue& q, sale::sequence after,
                                              std::size_t count, milliseconds within = 15s) {
    std::vector<sale::promise> got;
    eventually(
        [&] {
            const sale::sequence from{after.value + got.size()};
            return !q.read(from, count - got.size(), got) || got.size() >= count;
        },
        within);
    return orders_of(got);
}

inline bool becomes_corrupt(promise_queue& q, sale::sequence after) {
    return eventually([&] {
        std::vector<sale::promise> ignored;
        const auto r = q.read(after, 1, ignored);
        return !r && r.error() == errc::corrupt;
    });
}

}  // namespace floodgate::queue
