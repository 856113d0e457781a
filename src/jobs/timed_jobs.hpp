// The jobs that run by the clock once units are promised, on four threads: deadlines, letter
// retries and rounds; payment inquiries, interrupted payments in points and points that buyers
// earn; the reconciliation; alerts.
//
// In a cluster the timed jobs run on the node that holds the lease `timed_jobs`; a lone node always
// runs them. Alerts, and the settlement after a move, are every node's own.

#pragma once

#include <optional>

#include "alarm/webhook.hpp"
#include "base/even_clock.hpp"
#include "base/periodic_task.hpp"
#include "clerk/clerk.hpp"
#include "jobs/alert_watch.hpp"
#include "jobs/deadline_closer.hpp"
#include "jobs/letter_retry.hpp"
#include "jobs/payment_inquiries.hpp"
#include "jobs/points_earnings.hpp"
#include "jobs/points_settler.hpp"
#include "jobs/reconciler.hpp"
#include "jobs/round_keeper.hpp"
#include "jobs/sale_forgetter.hpp"
#include "shop/node.hpp"

namespace floodgate::jobs {

struct timed_job_options {
    sale::retry_schedule retries;
    jobs::payment_inquiry_options asking;
    jobs::points_earning_options earning;
    jobs::round_options rounds;
    jobs::sale_forgetter_options forgetting;
    jobs::alert_watch_options watch;
    alarm::webhook_options webhook;  // no address: no webhook
    milliseconds feed_kept{std::chrono::hours(24 * 30)};
    milliseconds deadline_poll{100};
    milliseconds inquire_every{500};  // and at once after a move that a channel must decide
    milliseconds reconcile_every{500};
};

// What the metrics show.
struct timed_job_figures {
    jobs::deadline_figures closing;
    jobs::payment_inquiry_figures asking;
    std::optional<jobs::points_figures> points;  // empty: there are no points
    ledger::earning_counts earnings;             // zero without points
    jobs::letter_retry_figures retries;
    jobs::round_figures rounds;
    std::uint64_t sales_forgotten = 0;
    std::optional<alarm::webhook::figures> webhook;
    std::optional<jobs::disk_space> disk;
    ledger::letter_counts letters;
    sale::reconciliation reconciliation;
};

class timed_jobs {
public:
    struct world {
        ledger::ledger& book;
        ledger::ledger& timed_book;  // the same, for the timed jobs: see ledger/fenced_database.hpp
        gate::turnstile& gate;
        shop::in_flight& between;
        shop::catalogue_desk& desk;
        const pay::channels& channels;
        even_clock& clock;
        shop::node& node;
        std::function<clerk::figures()> clerk_figures;
        std::string data;                    // the directory whose disk is watched
        points::accounts* points = nullptr;  // null: nobody pays with points
    };
    timed_jobs(world w, const timed_job_options& o);

    void start();
    void stop();  // before the ledger is closed; idempotent

    // Any thread.
    const shop::settlement& settlement() const { return settlement_; }
    alarm::board& alarms() { return board_; }
    void look_at_deadlines() { orders_.wake(); }
    shop::letter_desk& letters() { return letters_; }
    shop::reconciliation_desk& reconciliation() { return reconciliation_; }
    timed_job_figures read_figures() const;

private:
    void tell(std::span<const sale::order_news> news);
    bool look_after_orders();
    void look_after_feed();
    bool inquire();
    bool reconcile_all();
    bool watch_over();

    const world world_;
    const milliseconds feed_kept_;
    instant next_forgetting_{};  // used by the thread of the orders
    std::optional<alarm::webhook> webhook_;
    alarm::board board_;
    shop::settlement settlement_;
    shop::checkout checkout_;
    jobs::deadline_closer deadline_closer_;
    shop::letter_desk letters_;
    jobs::letter_retry letter_retry_;
    jobs::payment_inquiries payment_inquiries_;
    std::optional<jobs::points_settler> points_settler_;
    std::optional<jobs::points_earnings> points_earnings_;
    jobs::round_keeper round_keeper_;
    jobs::sale_forgetter sale_forgetter_;
    alert_watch alert_watch_;
    shop::reconciliation_desk reconciliation_;
    jobs::reconciler reconciler_;
    std::atomic<std::int64_t> letters_waiting_{0}, letters_dead_{0};
    instant last_reconciliation_{}, next_reconciliation_{};  // used by its thread only
    instant next_settling_{};                                // used by the thread of the inquiries
    // Last: they use everything above.
    periodic_task orders_, inquiring_, reconciling_, watching_;
};

}  // namespace floodgate::jobs
