#include "engine/shop_server.hpp"

#include <future>

#include "base/log.hpp"
#include "engine/descriptor_budget.hpp"
#include "engine/seed_data.hpp"

namespace floodgate::engine {
namespace {

shop_server::make_ports ports_of(run_mode mode) {
    return mode == run_mode::clustered ? make_clustered_ports : make_embedded_ports;
}

}  // namespace

shop_server::shop_server(const settings& s) : shop_server(s, ports_of(s.mode)) {}

shop_server::shop_server(settings s, make_ports make)
    : with_(fit_to_descriptors(std::move(s), raise_descriptor_limit())),
      ports_(make(with_, clock_)),
      health_(*ports_, with_.points.live_elsewhere() ? ports_->points() : nullptr),
      front_(with_, {clock_, ports_->book(), ports_->gate(), ports_->tickets(), ports_->node(),
                     ports_->points()}),
      jobs_(for_jobs(), with_.timed_jobs) {
    ports_->join(front_.local(), jobs_);
    auto logins = std::async(std::launch::async, [this] { front_.restore_logins(); });
    ports_->load_gate();
    logins.get();
    front_.open({.timed_jobs = jobs_,
                 .durability = ports_->durability(),
                 .readiness = [this] { return judge_readiness(health_.read()); },
                 .stores = [this] { return health_.read(); },
                 .measure = [this](metrics_sources& to) { ports_->measure(to); }});
}

// Stops in this order, also after an exception in run(): until they are stopped, the clerks report
// their work to the storefront.
shop_server::~shop_server() {
    front_.close();
    jobs_.stop();
    health_.stop();
    ports_->stop();
}

jobs::timed_jobs::world shop_server::for_jobs() {
    return {.book = ports_->book(),
            .timed_book = ports_->timed_book(),
            .gate = ports_->gate(),
            .between = ports_->lines().in_flight(),
            .desk = front_.desk(),
            .channels = front_.channels,
            .clock = clock_,
            .node = ports_->node(),
            .clerk_figures = [this] { return ports_->lines().read_figures(); },
            .data = with_.data,
            .points = ports_->points()};
}

void shop_server::create_first_admin(const std::string& password_file) {
    floodgate::engine::create_first_admin(
        ports_->book(), front_.passwords,
        {.given_in = password_file, .keep_in = with_.data + "/admin-password"}, clock_.now());
}

void shop_server::create_demo() {
    floodgate::engine::create_demo(ports_->book(), front_.passwords, clock_.now());
    front_.load_sales();
}

void shop_server::run() {
    ports_->start();
    jobs_.start();
    health_.start();
    front_.serve();
    health_.stop();
    jobs_.stop();
    ports_->stop();
    log::info("engine.stopped");
}

}  // namespace floodgate::engine
