#include "engine.hpp"

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <future>

#include "base/even_clock.hpp"
#include "base/log.hpp"
#include "clerk/adapters.hpp"
#include "expect.hpp"
#include "first_use.hpp"
#include "guard/tickets.hpp"
#include "metrics_page.hpp"
#include "pay/test_channel.hpp"
#include "restore.hpp"
#include "store/posix_files.hpp"
#include "store/sqlite_database.hpp"

namespace floodgate {
namespace {

constexpr auto beat = std::chrono::milliseconds(500);
constexpr int beats_an_hour = 7200;

// A promise that cannot be made durable must not be followed by anything: no unwinding, no retry.
[[noreturn]] void die(const std::string& reason) {
    log::error("engine.failed", "reason", reason);
    log::stop();
    std::fprintf(stderr, "floodgate: %s\n", reason.c_str());
    std::_Exit(1);
}

settings prepared(settings s) {
    std::error_code error;
    std::filesystem::create_directories(s.data, error);
    if (error) throw std::runtime_error(s.data + ": " + error.message());
    std::filesystem::permissions(s.data, std::filesystem::perms::owner_all, error);
    // The ledger is always made first. Without it every promise in the journal would become a
    // failed order of an unknown sale.
    if (std::filesystem::exists(s.journal_directory()) && !std::filesystem::exists(s.ledger_file()))
        throw std::runtime_error(s.data + ": there is a journal, but no ledger");
    s.journal.directory = s.journal_directory();
    return s;
}

sale::sequence position_of(ledger::ledger& book) {
    const auto position = book.orders().position();
    if (!position) throw std::runtime_error("ledger: " + position.error().message());
    return position.value();
}

}  // namespace

struct engine::parts {
    explicit parts(settings s)
        : with(prepared(std::move(s))),
          book(store::open_sqlite({.path = with.ledger_file()})),
          entered(position_of(book)),
          line(files, with.journal, entered),
          gate(line, with.gate),
          proxies(with.trusted_proxies),
          passwords(with.password),
          login_by_address(with.login_by_address),
          login_by_phone(with.login_by_phone),
          purchase_by_address(with.purchase_by_address),
          purchase_by_user(with.purchase_by_user),
          showcase(book.catalogue(), gate),
          mailroom(with.mailroom),
          clerk({source, sink, gate, clock}, with.clerk, entered,
                {.news = [this](auto news) { mailroom.deliver(news); },
                 .on_fatal = [](const std::string& why) { die(why); }}),
          care({.book = book,
                .gate = gate,
                .line = source,
                .appended = [this] { return line.appended(); },
                .catalogue_mutex = catalogue_mutex,
                .channels = channels,
                .clock = clock,
                .news = [this](auto news) { mailroom.deliver(news); },
                .clerk_figures = [this] { return clerk.read_figures(); },
                .catalogue_changed = [this] { show(); },
                .book_repaired = [this] { mailroom.forget_orders(); },
                .forgotten = [this](sale::sale_id id) { return forgotten.contains(id); },
                .data = with.data},
               with.care) {
        if (with.pay_test) channels.add(std::make_unique<pay::test_channel>());
        auto logins =
            std::async(std::launch::async, [this] { restore_logins(book, sessions, clock.now()); });
        forgotten = restore_gate(book, line, gate, {.entered = entered, .now = clock.now()});
        logins.get();
        mailroom.start_from(expect(book.orders().latest_number(), "ledger"));
        if (const auto shown = showcase.reload(); !shown)
            throw std::runtime_error("ledger: " + shown.error().message());
        server.emplace(services, proxies, with.server);
        services.durability = {"journal: fdatasync before every acknowledgement",
                               "ledger: " + book.durability()};
    }

    settings with;
    even_clock clock;
    store::posix_files files;
    ledger::ledger book;
    sale::sequence entered;
    journal::journal line;
    gate::embedded_turnstile gate;
    guard::sessions sessions;
    guard::trusted_proxies proxies;
    guard::passwords passwords;
    guard::rate_limiter login_by_address, login_by_phone, purchase_by_address, purchase_by_user;
    edge::showcase showcase;
    std::mutex catalogue_mutex;
    edge::mailroom mailroom;
    guard::tickets tickets;
    clerk::journal_source source{line};
    clerk::ledger_sink sink{book, clock};
    clerk::clerk clerk;
    pay::channels channels;
    forgotten_sales forgotten;
    floodgate::care care;
    edge::warm_up_progress warm_up;
    std::atomic<bool> ready{false};
    edge::services services{.clock = clock,
                            .turnstile = gate,
                            .ledger = book,
                            .sessions = sessions,
                            .passwords = passwords,
                            .login_by_address = login_by_address,
                            .login_by_phone = login_by_phone,
                            .purchase_by_address = purchase_by_address,
                            .purchase_by_user = purchase_by_user,
                            .showcase = showcase,
                            .catalogue_mutex = catalogue_mutex,
                            .mailroom = mailroom,
                            .tickets = tickets,
                            .login_lifetime = with.login_lifetime,
                            .channels = channels,
                            .alarms = care.alarms(),
                            .warm_up = warm_up,
                            .clerk = help(),
                            .readiness = [this] { return std::string(ready ? "" : "stopping"); },
                            .durability = {},
                            .metrics_text = [this] { return metrics(); }};
    std::optional<edge::server> server;  // last: it uses everything above

    // Buyers see the catalogue as it is now.
    void show() {
        if (const auto shown = showcase.reload(); !shown)
            log::error("engine.showcase_failed", "reason", shown.error().message());
    }

    edge::clerks_help help() {
        return {.settle = [this](const ledger::move_outcome& m) { care.after().settle(m); },
                .ask_channels = [this] { care.ask_channels(); },
                .reconciliation = [this] { return care.reconciliation(); },
                .reconcile = [this](sale::sale_id id) { return care.reconcile(id); },
                .repair = [this](sale::sale_id id,
                                 const std::string& note) { return care.repair(id, note); }};
    }

    std::string metrics() {
        return metrics_page({.gate = gate.read_counts(),
                             .journal = line.read_figures(),
                             .backlog = line.backlog(),
                             .clerk = clerk.read_figures(),
                             .edge = server->read_figures(),
                             .results = mailroom.read_figures(),
                             .care = care.read_figures(),
                             .alarms = care.alarms(),
                             .after = care.after(),
                             .clock_apart = clock.apart(),
                             .pool_waiting = server->pool_waiting(),
                             .logins = sessions.count()});
    }
};

engine::engine(settings s) : parts_(std::make_unique<parts>(std::move(s))) {}
engine::~engine() = default;

std::string engine::address() const { return parts_->server->address(); }

void engine::create_first_admin() {
    floodgate::create_first_admin(parts_->book, parts_->passwords, parts_->clock.now());
}

void engine::create_demo() {
    floodgate::create_demo(parts_->book, parts_->passwords, parts_->clock.now());
    if (!warm_up_all(parts_->book, parts_->gate) || !parts_->showcase.reload())
        throw std::runtime_error("the demo sale could not be opened");
}

void engine::run() {
    parts& p = *parts_;
    p.line.start(die);
    p.clerk.start();
    p.care.start();
    p.server->start();
    p.ready = true;
    log::info("engine.started", "address", p.server->address(), "data", p.with.data, "durability",
              fmt::format("{}", fmt::join(p.services.durability, "; ")));

    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    constexpr timespec pause{.tv_sec = 0, .tv_nsec = std::chrono::nanoseconds(beat).count()};
    int beats = 0;
    while (sigtimedwait(&signals, nullptr, &pause) < 0) {
        p.showcase.refresh();
        p.sessions.prune(p.clock.now());
        if (++beats % beats_an_hour == 0)
            (void)p.book.users().prune_logins(p.clock.now()).has_value();
    }

    log::info("engine.stopping");
    p.ready = false;
    p.server->stop();
    p.care.stop();
    p.clerk.stop();
    p.line.stop();
    log::info("engine.stopped");
}

}  // namespace floodgate
