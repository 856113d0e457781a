#include <cstdio>
#include <filesystem>
#include <future>

#include "base/even_clock.hpp"
#include "base/log.hpp"
#include "base/or_throw.hpp"
#include "clerk/ledger_sink.hpp"
#include "engine/engine.hpp"
#include "engine/seed_data.hpp"
#include "engine/storefront.hpp"
#include "guard/tickets.hpp"
#include "shop/gate_restore.hpp"
#include "store/files/posix_files.hpp"
#include "store/sql/sqlite_database.hpp"

namespace floodgate::engine {
namespace {

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

class embedded_engine final : public engine {
public:
    explicit embedded_engine(settings s)
        : with_(prepared(std::move(s))),
          book_(store::open_sqlite({.path = with_.ledger_file()})),
          entered_(or_throw(book_.orders().position(), "ledger")),
          line_(files_, with_.journal, entered_),
          gate_(line_, with_.gate),
          front_(with_, {clock_, book_, gate_, tickets_}),
          clerk_({line_, sink_, gate_, clock_}, with_.clerk, entered_,
                 {.news = [this](auto news) { front_.mailroom.deliver(news); },
                  .on_fatal = [](const std::string& why) { die(why); }}),
          care_(for_care(), with_.timed_jobs) {
        auto logins = std::async(std::launch::async, [this] { front_.restore_logins(); });
        forgotten_ =
            shop::restore_gate(book_, line_, gate_, {.entered = entered_, .now = clock_.now()});
        logins.get();
        front_.recent.start_from(or_throw(book_.orders().latest_number(), "ledger"));
        front_.open({.timed_jobs = care_,
                     .durability = {"journal: fdatasync before every acknowledgement",
                                    "ledger: " + book_.durability()},
                     .measure = [this](metrics_sources& to) { measure(to); }});
    }

    ~embedded_engine() override { front_.close(); }
    embedded_engine(const embedded_engine&) = delete;
    embedded_engine& operator=(const embedded_engine&) = delete;

    void create_first_admin() override {
        floodgate::engine::create_first_admin(book_, front_.passwords, clock_.now());
    }

    void create_demo() override {
        floodgate::engine::create_demo(book_, front_.passwords, clock_.now());
        front_.load_sales();
    }

    void run() override {
        line_.start(die);
        clerk_.start();
        care_.start();
        front_.serve({});
        care_.stop();
        clerk_.stop();
        line_.stop();
        log::info("engine.stopped");
    }

    std::string address() const override { return front_.address(); }

private:
    jobs::timed_jobs::world for_care() {
        return {.book = book_,
                .timed_book = book_,
                .gate = gate_,
                .between = between_,
                .desk = front_.desk(),
                .channels = front_.channels,
                .clock = clock_,
                .news = [this](auto news) { front_.mailroom.deliver(news); },
                .clerk_figures = [this] { return clerk_.read_figures(); },
                .catalogue_changed = [this] { front_.show(); },
                .book_repaired = [this] { front_.recent.forget_all(); },
                .forgotten = [this](sale::sale_id id) { return forgotten_.contains(id); },
                .data = with_.data};
    }

    void measure(metrics_sources& to) {
        to.answers = gate_.read_counts().by_answer;
        to.journal = line_.read_figures();
        to.backlog = line_.backlog();
        to.clerk = clerk_.read_figures();
    }

    settings with_;
    even_clock clock_;
    store::posix_files files_;
    ledger::ledger book_;
    sale::sequence entered_;
    journal::journal line_;
    gate::embedded_turnstile gate_;
    guard::tickets tickets_;
    storefront front_;
    clerk::ledger_sink sink_{book_, sale::journal_line, clock_};
    shop::journal_in_flight between_{book_, line_, [this] { return line_.appended(); }};
    clerk::clerk clerk_;
    shop::forgotten_sales forgotten_;
    jobs::timed_jobs care_;
};

}  // namespace

std::unique_ptr<engine> make_embedded_engine(settings s) {
    return std::make_unique<embedded_engine>(std::move(s));
}

}  // namespace floodgate::engine
