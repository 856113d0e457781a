#include "engine/clustered_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "base/log.hpp"
#include "base/or_throw.hpp"
#include "engine/open_ledger.hpp"
#include "engine/redis_durability.hpp"
#include "queue/rabbit_queue.hpp"
#include "queue/stream_queue.hpp"

namespace floodgate::engine {
namespace {

constexpr milliseconds believed_for{1000};  // what was heard of an order
constexpr milliseconds limits_every{200};   // limits are exchanged
constexpr milliseconds follow_every{500};   // logouts of other nodes are looked for
constexpr milliseconds look_for_rest_every{50};
constexpr double share_purchases_from = 0.5;  // of a burst: who clicks once never reaches Redis

settings prepared(settings s) {
    std::error_code error;
    std::filesystem::create_directories(s.data, error);
    if (error) throw std::runtime_error(s.data + ": " + error.message());
    s.recent.believed_for = believed_for;
    s.recent.numbers_in_order = false;  // several nodes give them: the ledger is always asked
    return s;
}

}  // namespace

gate::redis_turnstile_options clustered_engine::for_gate() const {
    gate::redis_turnstile_options o;
    o.name = with_.cluster.name;
    o.partitions = with_.cluster.partitions;
    o.node = with_.node;
    o.answer_within = with_.cluster.answer_within;
    o.backlog_max = with_.gate.backlog_max;
    return o;
}

clustered_engine::clustered_engine(settings s)
    : with_(prepared(std::move(s))),
      redis_(with_.cluster.redis),
      facts_(store::probe_redis(redis_.options())),
      turn_(std::in_place, redis_, with_.cluster.name),
      book_([this] {
          auto db = open_database(with_);
          db_ = db.get();
          return db;
      }()),
      bus_(redis_, {.name = with_.cluster.name}),
      gate_(redis_, for_gate(),
            [this](sale::sale_id id) { bus_.publish("lifted", std::to_string(id.value)); }),
      tickets_(redis_, with_.cluster.name),
      front_(with_, {clock_, book_, gate_, tickets_, [this] { bus_.publish("catalogue", ""); }}),
      logins_(redis_, front_.sessions, with_.cluster.name),
      limits_(redis_, with_.cluster.name),
      leases_(redis_,
              {.name = with_.cluster.name, .node = with_.node, .lease = with_.cluster.lease}),
      duty_("care", *db_, book_, leases_),
      between_(book_, gate_, with_.cluster.partitions),
      care_(for_care(), with_.timed_jobs),
      pulse_({redis_, book_, gate_, with_.cluster.name, with_.cluster.partitions}),
      limiting_("limits", limits_every,
                [this] {
                    limits_.exchange(clock_.now());
                    return false;
                }),
      following_("follower", follow_every, [this] { return follow(); }) {
    for (std::uint32_t n = 0; n < with_.cluster.partitions; ++n)
        partitions_.push_back(std::make_unique<looked_after>(*this, sale::partition{n}));
    duty_.seek("", {}, {});
    limits_.add("login_by_address", front_.login_by_address, 0);
    limits_.add("login_by_phone", front_.login_by_phone, 0);
    limits_.add("purchase_by_address", front_.purchase_by_address, share_purchases_from);
    limits_.add("purchase_by_user", front_.purchase_by_user, share_purchases_from);
    if (with_.cluster.queue == queue_kind::rabbitmq)
        reminders_ = std::make_unique<queue::reminders>(with_.cluster.rabbitmq, with_.cluster.name,
                                                        [this] { care_.look_at_deadlines(); });
    gate_.skip_past(or_throw(book_.orders().latest_number(), "ledger"));
    front_.restore_logins();
    front_.open(opening());
    note_catalogue();
}

clustered_engine::~clustered_engine() { front_.close(); }

// Weaker than promised: said, or in strict mode refused.
storefront::opening clustered_engine::opening() {
    std::vector<std::string> weak = weaknesses_of(facts_);
    for (const std::string& line : book_.weaknesses()) weak.push_back(line);
    if (with_.cluster.strict && !weak.empty())
        throw std::runtime_error(fmt::format("cluster.strict: {}", fmt::join(weak, "; ")));
    std::vector<std::string> lines{say_durability(facts_), "ledger: " + book_.durability()};
    for (const std::string& line : weak) {
        log::warning("engine.weak", "what", line);
        lines.push_back("weak: " + line);
    }
    return {.timed_jobs = care_,
            .fellows = for_edge(),
            .durability = std::move(lines),
            .readiness = [this] { return pulse_.why_not_ready(); },
            .measure = [this](metrics_sources& to) { measure(to); }};
}

jobs::timed_jobs::world clustered_engine::for_care() {
    return {.book = book_,
            .timed_book = duty_.book(),
            .gate = gate_,
            .between = between_,
            .desk = front_.desk(),
            .channels = front_.channels,
            .clock = clock_,
            .news = [this](auto news) { tell(news); },
            .clerk_figures = [this] { return clerk_figures(); },
            .catalogue_changed =
                [this] {
                    front_.show();
                    bus_.publish("catalogue", "");
                },
            .book_repaired =
                [this] {
                    front_.recent.forget_all();
                    bus_.publish("repaired", "");
                },
            .forgotten =
                [this](sale::sale_id id) {
                    const std::lock_guard lock(forgotten_mutex_);
                    return forgotten_.contains(id);
                },
            .data = with_.data,
            .on_duty = [this] { return duty_.held(); },
            .heal =
                [this](sale::sale_id id) {
                    return gate_.close(sale::partition_of(id, with_.cluster.partitions));
                }};
}

std::unique_ptr<queue::promise_queue> clustered_engine::open_queue(sale::partition p) {
    const cluster_settings& c = with_.cluster;
    if (c.queue == queue_kind::rabbitmq) {
        queue::rabbit_queue_options o;
        o.name = c.name;
        o.partition = p;
        o.consumer = leases_.owner();
        return std::make_unique<queue::rabbit_queue>(redis_, c.rabbitmq, std::move(o));
    }
    queue::stream_queue_options o;
    o.name = c.name;
    o.partition = p;
    o.consumer = leases_.owner();
    return std::make_unique<queue::stream_queue>(redis_, std::move(o));
}

clustered_engine::looked_after::looked_after(clustered_engine& by, sale::partition p)
    : post(fmt::format("line {}", p.number), *by.db_, by.book_, by.leases_),
      keeper({.book = post.book(),
              .gate = by.gate_,
              .partitions = by.with_.cluster.partitions,
              .open_queue = [&by, p] { return by.open_queue(p); },
              .clock = by.clock_,
              .news = [&by](auto news) { by.tell(news); }},
             p, by.with_.clerk) {
    post.seek(
        "lines", [this] { keeper.take_over(); }, [this] { keeper.let_go(); });
}

void clustered_engine::create_demo() {
    floodgate::engine::create_demo(book_, front_.passwords, clock_.now());
    front_.load_sales();
}

void clustered_engine::run() {
    turn_.reset();
    bus_.start([this](std::string_view topic, std::string_view message) { hear(topic, message); });
    leases_.start();
    if (reminders_) reminders_->start();
    care_.start();
    limiting_.start();
    following_.start();
    pulse_.start();
    front_.serve({});
    pulse_.stop();
    following_.stop();
    limiting_.stop();
    care_.stop();
    if (reminders_) reminders_->stop();
    enter_the_rest();
    leases_.stop();
    partitions_.clear();
    bus_.stop();
    log::info("engine.stopped");
}

// The last node enters what is left, for a while; other nodes would take over anyway.
void clustered_engine::enter_the_rest() {
    const auto deadline = std::chrono::steady_clock::now() + with_.clerk.drain;
    do {
        if (leases_.nodes_alive().size() > 1) return;
        std::this_thread::sleep_for(look_for_rest_every);
    } while (anything_left() && std::chrono::steady_clock::now() < deadline);
}

// Whether a line holds more than the ledger has, or nobody knows: a lease may still be a dead
// node's.
bool clustered_engine::anything_left() {
    const auto entered = book_.orders().positions();
    if (!entered) return true;
    for (std::uint32_t n = 0; n < with_.cluster.partitions; ++n) {
        const auto gate = gate_.state_of({n});
        if (!gate) return true;
        const auto found = entered->find(sale::line_of({n}));
        const sale::line_place at =
            found == entered->end() ? sale::line_place{} : sale::to_place(found->second);
        if (gate->epoch == at.epoch && gate->appended > at.number) return true;
    }
    return false;
}

clerk::figures clustered_engine::clerk_figures() const {
    clerk::figures sum;
    for (const auto& p : partitions_) {
        const clerk::figures f = p->keeper.read_figures().clerk;
        sum.entered += f.entered;
        sum.refused += f.refused;
        sum.put_aside += f.put_aside;
        sum.batches += f.batches;
        sum.last_batch = std::max(sum.last_batch, f.last_batch);
        sum.last_batch_took = std::max(sum.last_batch_took, f.last_batch_took);
        sum.backlog += f.backlog;
        sum.lag = std::max(sum.lag, f.lag);
        if (f.failing_since != never)
            sum.failing_since = sum.failing_since == never
                                    ? f.failing_since
                                    : std::min(sum.failing_since, f.failing_since);
    }
    return sum;
}

void clustered_engine::measure(metrics_sources& to) {
    const auto gate = gate_.read_counts();
    to.answers = gate.by_answer;
    to.clerk = clerk_figures();
    to.backlog = to.clerk.backlog;
    cluster_figures c{.gate_calls = gate.calls,
                      .gate_unanswered = gate.unanswered,
                      .gate_reflected = gate.reflected,
                      .to_release = gate.to_release,
                      .bus = bus_.read_figures(),
                      .keepers = {},
                      .nodes_alive = leases_.nodes_alive().size(),
                      .on_duty = duty_.held()};
    for (const auto& p : partitions_) c.keepers.push_back(p->keeper.read_figures());
    to.cluster = std::move(c);
}

std::unique_ptr<engine> make_clustered_engine(settings s) {
    return std::make_unique<clustered_engine>(std::move(s));
}

}  // namespace floodgate::engine
