#include "jobs/timed_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/log.hpp"

namespace floodgate::jobs {
namespace {

constexpr std::size_t feed_rows_max = 500;
constexpr milliseconds forget_events_every{60'000};
constexpr milliseconds watch_every{500};
constexpr milliseconds settle_points_every{1000};
constexpr milliseconds off_duty_look_every{5000};  // for this node's own metrics and admins

std::optional<jobs::disk_space> space_of(const std::string& directory) {
    std::error_code error;
    const auto space = std::filesystem::space(directory, error);
    if (error) return std::nullopt;
    return jobs::disk_space{space.available, space.capacity};
}

}  // namespace

timed_jobs::timed_jobs(world w, const timed_job_options& o)
    : world_(std::move(w)),
      feed_kept_(o.feed_kept),
      board_([this](const alarm::notice& n) {
          if (webhook_) webhook_->send(n);
      }),
      settlement_(
          world_.gate, [this](std::span<const sale::order_news> news) { tell(news); },
          o.forgetting.memory.cool_down,
          [this](sale::sale_id id) { world_.desk.follow_stock(id); }),
      checkout_({world_.timed_book.moves(), world_.channels, settlement_, world_.clock}),
      deadline_closer_({world_.timed_book.moves(), settlement_, world_.clock}),
      letters_({world_.book, settlement_, world_.clock}),
      letter_retry_({world_.timed_book, letters_, board_, world_.clock}, o.retries),
      payment_inquiries_(
          {world_.timed_book.moves(), world_.timed_book.refunds(), checkout_, board_, world_.clock},
          o.asking),
      round_keeper_(world_.desk, world_.book.catalogue(), o.rounds),
      sale_forgetter_({world_.book, world_.gate, world_.between, world_.node}, o.forgetting),
      alert_watch_({.clerk = world_.clerk_figures,
                    .disk = [data = world_.data] { return space_of(data); },
                    .board = board_},
                   o.watch),
      reconciliation_(
          {{world_.book, world_.gate, world_.between}, world_.desk, world_.node, world_.clock}),
      reconciler_({.orders = {world_.book, world_.gate, world_.between},
                   .board = board_,
                   .catalogue = world_.desk,
                   .timed_book = world_.timed_book,
                   .desk = reconciliation_,
                   .node = world_.node}),
      orders_("orders", o.deadline_poll, [this] { return look_after_orders(); }),
      inquiring_("inquiries", o.inquire_every, [this] { return inquire(); }),
      reconciling_("reconciler", o.reconcile_every, [this] { return reconcile_all(); }),
      watching_("watch", watch_every, [this] { return watch_over(); }) {
    if (!o.webhook.url.empty()) webhook_.emplace(o.webhook, world_.clock);
    if (!world_.points) return;
    points_settler_.emplace(
        points_settler::world{*world_.points, world_.timed_book.moves(), checkout_, world_.clock});
    points_earnings_.emplace(
        points_earnings::world{*world_.points, world_.timed_book.earnings(), world_.clock},
        o.earning);
}

void timed_jobs::start() {
    if (webhook_) webhook_->start();
    for (periodic_task* r : {&orders_, &inquiring_, &reconciling_, &watching_}) r->start();
}

void timed_jobs::stop() {
    for (periodic_task* r : {&orders_, &inquiring_, &reconciling_, &watching_}) r->stop();
    if (webhook_) webhook_->stop();
}

// Wakes the inquiries, so that an order that waits for its channel need not wait for their next
// turn.
void timed_jobs::tell(std::span<const sale::order_news> news) {
    world_.node.tell(news);
    const auto waits = [](const sale::order_news& n) { return waits_for_channel(n.what); };
    if (std::ranges::any_of(news, waits)) inquiring_.wake();
}

bool timed_jobs::look_after_orders() {
    world_.desk.step();  // on every node: it writes this node's pending closings to the ledger
    if (!world_.node.on_duty()) return false;
    deadline_closer_.step();
    round_keeper_.step(world_.clock.now());
    sale_forgetter_.step(world_.clock.now());
    look_after_feed();
    return letter_retry_.step();
}

// Numbers new events. The rows are few, because each stands for a whole transaction.
void timed_jobs::look_after_feed() {
    (void)world_.timed_book.feed().number_some(feed_rows_max).has_value();
    const instant now = world_.clock.now();
    if (now < next_forgetting_) return;
    next_forgetting_ = now + forget_events_every;
    const auto gone = world_.timed_book.feed().forget(now - feed_kept_, feed_rows_max);
    if (gone && *gone == feed_rows_max) next_forgetting_ = now;
}

// Points are looked after less often than inquiries are made.
bool timed_jobs::inquire() {
    if (!world_.node.on_duty()) return false;
    bool more = false;
    if (const instant now = world_.clock.now(); points_settler_ && now >= next_settling_) {
        const bool more_payments = points_settler_->step();
        more = points_earnings_->step() || more_payments;
        next_settling_ = more ? now : now + settle_points_every;
    }
    return payment_inquiries_.step() || more;
}

// A look that took long is followed by a rest: see reconciler::rest().
bool timed_jobs::reconcile_all() {
    const instant now = world_.clock.now();
    if (now < next_reconciliation_) return false;
    if (!world_.node.on_duty() && now < last_reconciliation_ + off_duty_look_every) return false;
    (void)reconciler_.step(now).has_value();  // it logs what it could not read
    last_reconciliation_ = now;
    next_reconciliation_ = world_.clock.now() + reconciler_.rest();
    return false;
}

bool timed_jobs::watch_over() {
    world_.clock.follow();
    const instant now = world_.clock.now();
    board_.set(world_.clock.jumped(), alarm::kind::clock_jumped, "clock",
               fmt::format("the machine's clock is {} ms ahead of Floodgate's",
                           world_.clock.apart().count()),
               now);
    alert_watch_.step(now);
    letter_retry_.watch();
    if (const auto counts = world_.book.letters().count()) {
        letters_waiting_ = counts->waiting;
        letters_dead_ = counts->dead;
    }
    return false;
}

timed_job_figures timed_jobs::read_figures() const {
    timed_job_figures f{.closing = deadline_closer_.read_figures(),
                        .asking = payment_inquiries_.read_figures(),
                        .points = std::nullopt,
                        .earnings = {},
                        .retries = letter_retry_.read_figures(),
                        .rounds = round_keeper_.read_figures(),
                        .sales_forgotten = sale_forgetter_.forgotten(),
                        .webhook = std::nullopt,
                        .disk = space_of(world_.data),
                        .letters = {letters_waiting_, letters_dead_},
                        .reconciliation = reconciliation_.latest()};
    if (points_settler_) f.points = points_settler_->read_figures();
    if (points_earnings_) f.earnings = points_earnings_->read_figures();
    if (webhook_) f.webhook = webhook_->read_figures();
    return f;
}

}  // namespace floodgate::jobs
