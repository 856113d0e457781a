#include "engine/storefront.hpp"

#include <fmt/format.h>

#include <csignal>
#include <ctime>

#include "base/log.hpp"
#include "base/or_throw.hpp"
#include "pay/test_channel.hpp"

namespace floodgate::engine {
namespace {

constexpr auto beat_time = std::chrono::milliseconds(500);
constexpr int beats_an_hour = 7200;

}  // namespace

storefront::storefront(const settings& s, const world& w)
    : passwords(s.password),
      login_by_address(s.login_by_address),
      login_by_phone(s.login_by_phone),
      purchase_by_address(s.purchase_by_address),
      purchase_by_user(s.purchase_by_user),
      showcase(w.book.catalogue(), w.gate, &w.clock, s.memory),
      recent(s.recent),
      mailroom(recent, s.mailroom),
      with_(s),
      world_(w),
      proxies_(s.trusted_proxies),
      desk_(w.book, w.gate, w.node, w.clock),
      orders_({recent, w.gate, w.book.orders()}),
      ledger_health_(w.book.orders()) {
    if (s.pay_test) channels.add(std::make_unique<pay::test_channel>());
}

void storefront::restore_logins() {
    or_throw(world_.book.users().for_each_login(world_.clock.now(),
                                                [&](const sale::login& l) { sessions.add(l); }),
             "ledger");
    log::info("engine.logins_loaded", "logins", sessions.count());
}

local_shop storefront::local() {
    return {sessions,
            recent,
            mailroom,
            showcase,
            login_by_address,
            login_by_phone,
            purchase_by_address,
            purchase_by_user};
}

void storefront::load_sales() {
    const auto loaded = or_throw(desk_.warm_up_all({}), "gate");
    for (const shop::warmed_sale& s : loaded)
        if (s.why_not) throw std::runtime_error("gate: " + s.why_not.message());
    or_throw(showcase.reload(), "ledger");
}

api::clerks_help storefront::help(jobs::timed_jobs& by) {
    return {.reconciliation = [&by] { return by.reconciliation(); },
            .reconcile = [&by](sale::sale_id id) { return by.reconcile(id); },
            .repair = [&by](sale::sale_id id, const std::string& note,
                            const auto& signed_by) { return by.repair(id, note, signed_by); }};
}

api::readiness storefront::readiness() const {
    if (!ready_) return {.why_not = "stopping", .warnings = {}};
    return opening_->readiness();
}

std::string storefront::metrics() {
    jobs::timed_jobs& timed_jobs = opening_->timed_jobs;
    metrics_sources from{.edge = server_->read_figures(),
                         .results = mailroom.read_figures(),
                         .timed_jobs = timed_jobs.read_figures(),
                         .alarms = timed_jobs.alarms(),
                         .after = timed_jobs.after(),
                         .clock_apart = world_.clock.apart(),
                         .pool_waiting = server_->pool_waiting(),
                         .logins = sessions.count()};
    opening_->measure(from);
    return metrics_page(from);
}

void storefront::open(opening o) {
    opening_.emplace(std::move(o));
    const shop::settlement& settlement = opening_->timed_jobs.after();
    checkout_.emplace(
        shop::checkout::world{world_.book.moves(), channels, settlement, world_.clock});
    services_.emplace(api::services{.clock = world_.clock,
                                    .turnstile = world_.gate,
                                    .ledger = world_.book,
                                    .sessions = sessions,
                                    .passwords = passwords,
                                    .login_by_address = login_by_address,
                                    .login_by_phone = login_by_phone,
                                    .purchase_by_address = purchase_by_address,
                                    .purchase_by_user = purchase_by_user,
                                    .showcase = showcase,
                                    .desk = desk_,
                                    .recent = recent,
                                    .orders = orders_,
                                    .checkout = *checkout_,
                                    .settlement = settlement,
                                    .ledger_health = ledger_health_,
                                    .tickets = world_.tickets,
                                    .login_lifetime = with_.login_lifetime,
                                    .alarms = opening_->timed_jobs.alarms(),
                                    .clerk = help(opening_->timed_jobs),
                                    .node = world_.node,
                                    .readiness = [this] { return readiness(); },
                                    .durability = opening_->durability,
                                    .metrics_text = [this] { return metrics(); }});
    or_throw(showcase.reload(), "ledger");
    server_.emplace(*services_, mailroom, proxies_, with_.server);
}

void storefront::serve() {
    server_->start();
    ready_ = true;
    log::info("engine.started", "address", server_->address(), "durability",
              fmt::format("{}", fmt::join(opening_->durability, "; ")));
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    constexpr timespec pause{.tv_sec = 0, .tv_nsec = std::chrono::nanoseconds(beat_time).count()};
    int beats = 0;
    while (sigtimedwait(&signals, nullptr, &pause) < 0) {
        showcase.refresh();
        sessions.prune(world_.clock.now());
        if (++beats % beats_an_hour == 0)
            (void)world_.book.users().prune_logins(world_.clock.now()).has_value();
    }
    log::info("engine.stopping");
    ready_ = false;
    server_->stop();
}

}  // namespace floodgate::engine
