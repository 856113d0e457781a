// One node of a cluster: Redis as gate and queue, MariaDB as ledger, the other nodes beside it.
//
// clustered_engine.cpp builds it up and takes it down; clustered_news.cpp is what it tells the
// other nodes and hears from them.

#pragma once

#include "base/periodic_task.hpp"
#include "clerk/partition_keeper.hpp"
#include "cluster/redis_bus.hpp"
#include "cluster/redis_leases.hpp"
#include "cluster/start_turn.hpp"
#include "engine/engine.hpp"
#include "engine/leased_ledger.hpp"
#include "engine/seed_data.hpp"
#include "engine/store_health.hpp"
#include "engine/storefront.hpp"
#include "guard/shared_limits.hpp"
#include "guard/shared_logins.hpp"
#include "guard/shared_tickets.hpp"
#include "queue/reminders.hpp"
#include "shop/gate_restore.hpp"
#include "shop/stream_in_flight.hpp"
#include "store/redis/facts.hpp"

namespace floodgate::engine {

class clustered_engine final : public engine {
public:
    explicit clustered_engine(settings s);
    ~clustered_engine() override;
    clustered_engine(const clustered_engine&) = delete;
    clustered_engine& operator=(const clustered_engine&) = delete;

    void create_first_admin() override {
        floodgate::engine::create_first_admin(book_, front_.passwords, clock_.now());
    }
    void create_demo() override;
    void run() override;
    std::string address() const override { return front_.address(); }

private:
    struct looked_after {  // one partition
        looked_after(clustered_engine& by, sale::partition p);
        leased_ledger post;
        clerk::partition_keeper keeper;
    };

    gate::redis_turnstile_options for_gate() const;
    jobs::timed_jobs::world for_care();
    api::fellow_nodes for_edge();
    std::optional<guard::identity> find_login(std::string_view token, instant now);
    storefront::opening opening();
    std::unique_ptr<queue::promise_queue> open_queue(sale::partition p);
    void tell(std::span<const sale::order_news> news);
    void remind_of(std::span<const sale::order_news> news);
    void hear(std::string_view topic, std::string_view message);
    void note_catalogue();
    bool follow();
    void enter_the_rest();
    bool anything_left();
    clerk::figures clerk_figures() const;
    void measure(metrics_sources& to);

    settings with_;
    even_clock clock_;
    store::redis redis_;
    store::redis_facts facts_;
    std::optional<cluster::start_turn> turn_;  // until the ledger is ready for everybody
    store::database* db_ = nullptr;            // book_ owns it
    ledger::ledger book_;
    cluster::redis_bus bus_;
    gate::redis_turnstile gate_;
    guard::shared_tickets tickets_;
    storefront front_;
    guard::shared_logins logins_;
    guard::shared_limits limits_;
    cluster::redis_leases leases_;
    leased_ledger duty_;
    shop::stream_in_flight between_;
    std::vector<std::unique_ptr<looked_after>> partitions_;
    std::mutex forgotten_mutex_;
    shop::forgotten_sales forgotten_;  // guarded by it
    jobs::timed_jobs care_;
    std::unique_ptr<queue::reminders> reminders_;  // with RabbitMQ
    std::atomic<bool> catalogue_changed_{false};
    instant catalogue_read_{};         // of the follower's thread
    std::uint64_t rejoined_seen_ = 0;  // the same
    store_health pulse_;
    periodic_task limiting_, following_;
};

}  // namespace floodgate::engine
