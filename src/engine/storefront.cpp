#include "engine/storefront.hpp"

#include <fmt/format.h>

#include <csignal>
#include <ctime>

#include "api/shop_page.hpp"
#include "base/log.hpp"
#include "base/or_throw.hpp"
#include "pay/test_channel.hpp"
#include "shop/points_channel.hpp"

namespace floodgate::engine {
namespace {

constexpr auto beat_time = std::chrono::milliseconds(500);
constexpr int beats_an_hour = 7200;
constexpr int beats_a_minute = 120;
constexpr milliseconds look_every{100};
constexpr milliseconds switches_every{500};
constexpr milliseconds sample_every{1000};
constexpr double share_after_half = 0.5;  // of a burst, so that single clicks never reach Redis

}  // namespace

storefront::storefront(const settings& s, const world& w)
    : passwords(s.password),
      login_limits(s.login_limits),
      login_by_address(s.login_by_address),
      register_by_address(s.register_by_address),
      purchase_by_address(s.purchase_by_address),
      purchase_by_user(s.purchase_by_user),
      lookup_by_user(s.lookup_by_user),
      move_by_user(s.move_by_user),
      ticket_by_user(s.ticket_by_user),
      message_by_address(s.message_by_address),
      call_by_key(s.call_by_key),
      access(w.book, w.clock),
      showcase(w.book.catalogue(), w.gate, w.clock, s.memory),
      recent(s.recent),
      mailroom(recent, s.mailroom),
      caller({.allow_private = s.pay.sandbox}),
      with_(s),
      world_(w),
      proxies_(s.trusted_proxies),
      desk_(w.book, w.gate, w.node, w.clock),
      orders_({recent, w.gate, w.book.orders()}),
      bills_(w.book),
      pictures_(s.pictures),
      ledger_health_(w.book.orders()),
      switches_(w.book.switches()),
      accounts_(w.book, w.node, w.clock),
      look_("look ready", look_every, [this] { operators_->look(world_.clock.now()); }),
      // The ledger logs a failure.
      follow_switches_("switches", switches_every, [this] { (void)switches_.look().has_value(); }),
      sampler_(static_cast<std::int64_t>(s.node), w.book.moves()),
      sampling_("live view", sample_every, [this] { sample(); }) {
    if (s.pay_test) channels.add(std::make_unique<pay::test_channel>());
    open_channels(s.pay, caller, w.clock, channels);
    if (w.points)
        channels.add(std::make_unique<shop::points_channel>(
            *w.points, w.clock,
            s.points.url.empty() ? shop::points_channel::place::here
                                 : shop::points_channel::place::elsewhere));
}

void storefront::restore_logins() {
    accounts_.begin();
    or_throw(world_.book.users().for_each_login(world_.clock.now(),
                                                [&](const sale::login& l) { sessions.add(l); }),
             "ledger");
    or_throw(access.reload(), "ledger");
    log::info("engine.logins_loaded", "logins", sessions.count());
}

local_shop storefront::local() {
    return {sessions,
            recent,
            mailroom,
            showcase,
            live,
            access,
            {{"login_by_device", login_limits.by_device(), share_after_half},
             {"login_by_account", login_limits.by_account(), share_after_half},
             {"login_by_user", login_limits.by_user(), share_after_half},
             {"login_records", login_limits.clean_records(), share_after_half},
             {"login_by_address", login_by_address, 0},
             {"register_by_address", register_by_address, 0},
             {"purchase_by_address", purchase_by_address, share_after_half},
             {"purchase_by_user", purchase_by_user, share_after_half},
             {"lookup_by_user", lookup_by_user, share_after_half},
             {"move_by_user", move_by_user, share_after_half},
             {"ticket_by_user", ticket_by_user, share_after_half},
             {"message_by_address", message_by_address, share_after_half},
             {"call_by_key", call_by_key, share_after_half}}};
}

void storefront::load_sales() {
    const auto loaded = or_throw(desk_.warm_up_all({}), "gate");
    for (const shop::warmed_sale& s : loaded)
        if (s.why_not) throw std::runtime_error("gate: " + s.why_not.message());
    or_throw(showcase.reload(), "ledger");
}

api::readiness storefront::readiness() const {
    if (!ready_) return {.why_not = "stopping", .warnings = {}};
    return with_switches(opening_->readiness());
}

// Switched off by a person is no reason to take the node out of the traffic: buyers get a clear
// answer.
api::readiness storefront::with_switches(api::readiness r) const {
    const ledger::switches s = switches_.seen();
    if (s.all_on()) return r;
    std::vector<std::string> off;
    if (!s.logins) off.emplace_back("logins");
    if (!s.registration) off.emplace_back("registration");
    if (!s.refunds) off.emplace_back("refunds");
    if (!s.sales) off.emplace_back("sales");
    r.warnings.push_back(fmt::format("switched off: {} ({})", fmt::join(off, ", "), s.reason));
    return r;
}

metrics_sources storefront::read_all() {
    jobs::timed_jobs& timed_jobs = opening_->timed_jobs;
    metrics_sources from{.edge = server_->read_figures(),
                         .results = mailroom.read_figures(),
                         .timed_jobs = timed_jobs.read_figures(),
                         .alarms = timed_jobs.alarms(),
                         .after = timed_jobs.settlement(),
                         .clock_apart = world_.clock.apart(),
                         .pool_waiting = server_->pool_waiting(),
                         .logins = sessions.count(),
                         .security = events.read_figures(),
                         .switches = switches_.seen(),
                         .version = with_.version};
    opening_->measure(from);
    return from;
}

std::string storefront::metrics() { return metrics_page(read_all()); }

void storefront::sample() {
    const instant now = world_.clock.now();
    const api::live_sample own = sampler_.take(read_all(), opening_->stores(), readiness(), now);
    world_.node.sampled(api::to_text(own));
    live.add(own);
    if (mailroom.has_viewers()) mailroom.show(live.message());
}

void storefront::open(opening o) {
    opening_.emplace(std::move(o));
    const shop::settlement& settlement = opening_->timed_jobs.settlement();
    checkout_.emplace(
        shop::checkout::world{world_.book.moves(), channels, settlement, world_.clock},
        with_.refund_within);
    messages_.emplace(shop::message_desk::world{*checkout_, channels, world_.book});
    operators_.emplace(api::operator_pages::sources{.readiness = [this] { return readiness(); },
                                                    .durability = opening_->durability,
                                                    .metrics = [this] { return metrics(); }},
                       with_.metrics_kept);
    services_.emplace(api::services{.clock = world_.clock,
                                    .turnstile = world_.gate,
                                    .ledger = world_.book,
                                    .sessions = sessions,
                                    .passwords = passwords,
                                    .login_by_address = login_by_address,
                                    .login_limits = login_limits,
                                    .register_by_address = register_by_address,
                                    .purchase_by_address = purchase_by_address,
                                    .purchase_by_user = purchase_by_user,
                                    .lookup_by_user = lookup_by_user,
                                    .move_by_user = move_by_user,
                                    .events = events,
                                    .ticket_by_user = ticket_by_user,
                                    .message_by_address = message_by_address,
                                    .call_by_key = call_by_key,
                                    .access = access,
                                    .showcase = showcase,
                                    .desk = desk_,
                                    .recent = recent,
                                    .orders = orders_,
                                    .checkout = *checkout_,
                                    .messages = *messages_,
                                    .bills = bills_,
                                    .ledger_health = ledger_health_,
                                    .switches = switches_,
                                    .tickets = world_.tickets,
                                    .login_lifetime = with_.login_lifetime,
                                    .alarms = opening_->timed_jobs.alarms(),
                                    .letters = opening_->timed_jobs.letters(),
                                    .reconciliation = opening_->timed_jobs.reconciliation(),
                                    .node = world_.node,
                                    .operators = *operators_,
                                    .pictures = pictures_,
                                    .live = live,
                                    .points = world_.points,
                                    .configuration = &with_.in_force,
                                    .second_factor_roles = with_.second_factor_roles});
    services_->shop = api::shop_page(channels, {with_.refund_within, with_.memory.cool_down});
    if (!with_.web_pages.empty()) services_->pages = &pages_.emplace(with_.web_pages);
    or_throw(showcase.reload(), "ledger");
    or_throw(switches_.look(), "ledger");
    server_.emplace(*services_, mailroom, proxies_, with_.server);
}

void storefront::keep_up(int beat) {
    showcase.refresh();
    sessions.prune(world_.clock.now());
    events.tell_left_out(world_.clock.now());
    if (beat % beats_an_hour == 0)
        (void)world_.book.users().prune_logins(world_.clock.now()).has_value();
}

void storefront::serve() {
    values_ = with_.values;
    watch_certificate();
    operators_->make_metrics();  // so that the first page is not empty
    server_->start();
    ready_ = true;
    look_.start();
    accounts_.start();
    follow_switches_.start();
    sampling_.start();
    access.start();
    log::info("engine.started", "address", server_->address(), "operators",
              server_->operator_address(), "durability",
              fmt::format("{}", fmt::join(opening_->durability, "; ")));
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    constexpr timespec pause{.tv_sec = 0, .tv_nsec = std::chrono::nanoseconds(beat_time).count()};
    for (int beat = 1;; ++beat) {
        const int came = sigtimedwait(&signals, nullptr, &pause);
        if (came == SIGINT || came == SIGTERM) break;
        if (came == SIGHUP) reload();
        if (beat % beats_a_minute == 0) watch_certificate();
        keep_up(beat);
    }
    log::info("engine.stopping");
    ready_ = false;
    operators_->look(world_.clock.now());
    server_->stop();
    accounts_.stop();
    look_.stop();
    follow_switches_.stop();
    sampling_.stop();
    access.stop();
}

}  // namespace floodgate::engine
