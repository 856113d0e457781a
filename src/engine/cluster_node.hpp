// A node of a cluster: tells the others over the bus, listens to them, and catches up on messages
// that the bus may have lost.
//
// The bus is a hint. A lost message costs time, but nothing becomes wrong: the log of revoked
// log-ins is read twice a second and the catalogue every two seconds, and after an outage of the
// bus connected clients are told to ask again.

#pragma once

#include <atomic>
#include <optional>

#include "base/failure_log.hpp"
#include "base/periodic_task.hpp"
#include "cluster/bus.hpp"
#include "engine/bus_topic.hpp"
#include "engine/leased_ledger.hpp"
#include "engine/local_shop.hpp"
#include "gate/redis_turnstile.hpp"
#include "guard/shared_limits.hpp"
#include "guard/shared_logins.hpp"
#include "queue/reminders.hpp"
#include "shop/node.hpp"

namespace floodgate::engine {

class cluster_node final : public shop::node {
public:
    struct world {
        std::string name;  // the cluster's
        std::uint32_t partitions = 1;
        const floodgate::clock& clock;
        store::redis& redis;
        cluster::bus& bus;
        ledger::ledger& book;
        gate::redis_turnstile& gate;
        const leased_ledger& duty;  // the node that holds this lease does the timed jobs
    };
    explicit cluster_node(world w);

    // To be called once, before anything below. It comes after the constructor because the
    // storefront is built with a reference to its node. Reminders of deadlines exist if RabbitMQ is
    // the queue.
    void join(const local_shop& here, std::unique_ptr<queue::reminders> reminders);
    void start();
    // Stops catching up and exchanging limits. The bus goes on, so that orders entered while the
    // node stops are still told to the others.
    void rest();
    void stop();

    bool on_duty() const override { return world_.duty.held(); }
    void tell(std::span<const sale::order_news> news) override;
    void catalogue_changed() override;
    void book_repaired() override;
    // The gate is a copy: the partition is closed, and its keeper rebuilds it from the ledger.
    result<bool> gate_differs(sale::sale_id id) override;
    void access_changed() override;
    void login_made(const sale::login& l) override;
    void login_removed(const sale::token_hash& hash) override;
    void sampled(const std::string& text) override { publish(to_text(bus_topic::live), text); }
    bool knows_more_logins() const override { return true; }
    result<guard::identity> find_login(const sale::token_hash& hash, instant now) override;

    // Called on the bus's thread. Ignores messages that make no sense; leaves slow work to
    // follow().
    void hear(std::string_view topic, std::string_view message);
    // Catches up on what the bus may have failed to tell.
    void follow();

private:
    void publish(std::string_view topic, std::string message) {
        world_.bus.publish(topic, std::move(message));
    }
    void remind_of(std::span<const sale::order_news> news);
    bool reload_logins();

    const world world_;
    guard::shared_limits limits_;
    std::optional<local_shop> here_;
    std::optional<guard::shared_logins> logins_;
    std::unique_ptr<queue::reminders> reminders_;
    std::atomic<bool> catalogue_changed_{false};
    // Of the follower's thread.
    instant catalogue_read_{};
    std::uint64_t rejoined_seen_ = 0;
    bool log_outs_missed_ = false;
    failure_log login_trouble_{log::level::warning, "engine.load_of_logins"};
    periodic_task limiting_, following_;
};

}  // namespace floodgate::engine
