#include "jobs/timed_jobs.hpp"

#include <gmock/gmock.h>

#include <fmt/format.h>

#include <pthread.h>

#include "base/eventually.hpp"
#include "jobs/reconciler_fixture.hpp"
#include "ledger/fenced_database.hpp"
#include "pay/scripted_channel.hpp"

namespace floodgate::jobs {
namespace {

using namespace std::chrono_literals;

// A clock that the threads of the jobs read while the test moves it. A clock of this kind takes
// plain functions, so its times are not members.
std::atomic<milliseconds::rep> uptime_ms;
std::atomic<milliseconds::rep> machine_ahead_ms;  // of the clock, because somebody has set it

even_clock clock_at_noon() {
    uptime_ms = 0;
    machine_ahead_ms = 0;
    return even_clock(
        {.wall = [] { return ledger::noon + milliseconds(uptime_ms + machine_ahead_ms); },
         .uptime = [] { return milliseconds(uptime_ms); }});
}
void pass(milliseconds time) { uptime_ms += time.count(); }

// Notes which thread has asked for its duty, and how often: that tells how many steps it has begun.
class watched_node final : public shop::silent_node {
public:
    std::atomic<bool> duty{true};

    bool on_duty() const override {
        char name[16] = {};
        pthread_getname_np(pthread_self(), name, sizeof name);
        const std::lock_guard lock(mutex_);
        ++asked_[name];
        return duty;
    }
    int asked_by(const std::string& thread) const {
        const std::lock_guard lock(mutex_);
        return asked_[thread];
    }

private:
    mutable std::mutex mutex_;
    mutable std::map<std::string, int> asked_;
};

class TimedJobsTest : public ReconcilerTest {
protected:
    TimedJobsTest() {
        auto scripted = std::make_unique<pay::scripted_channel>("test");
        channel_ = scripted.get();
        channels_.add(std::move(scripted));
        options_.reconcile_every = 1h;
        options_.inquire_every = 1h;
        options_.deadline_poll = 1ms;
    }
    void start() {
        jobs_.emplace(
            timed_jobs::world{
                .book = book_,
                .timed_book = timed_book_,
                .gate = gate_,
                .between = between_,
                .desk = desk_,
                .channels = channels_,
                .clock = even_clock_,
                .node = node_here_,
                .clerk_figures = [this] { return clerk_figures_; },
                .data = directory_.file(""),
            },
            options_);
        jobs_->start();
    }
    bool every_job_began() {
        return eventually([&] {
            return node_here_.asked_by(orders_thread) > 1 &&
                   node_here_.asked_by(inquiring_thread) > 0;
        });
    }
    sale::order_no entered(std::int64_t buyer) {
        const auto no = buy(sale_, buyer);
        enter();
        return no;
    }
    sale::order_no with_payment_begun(std::int64_t buyer) {
        const auto no = entered(buyer);
        EXPECT_TRUE(book_.moves().begin_payment(no, {buyer}, {"test", {{1}}}, ledger::noon)->moved);
        return no;
    }
    sale::order_state state_of(sale::order_no no) { return book_.orders().find(no)->state; }
    std::int64_t letters_waiting() { return book_.letters().count()->waiting; }
    bool stands(alarm::kind k) {
        const auto all = jobs_->alarms().standing();
        return std::ranges::count(all, k, &alarm::alert::kind) > 0;
    }
    // Time passes until a sale that does not add up was found.
    bool breach_found() {
        return eventually([&] {
            pass(100ms);
            return stands(alarm::kind::invariant_breach);
        });
    }
    shop::checkout buyers_checkout() {
        return shop::checkout({book_.moves(), channels_, jobs_->settlement(), even_clock_});
    }

    static constexpr const char *orders_thread = "orders", *inquiring_thread = "inquiries";

    const sale::sale_id sale_ = open_sale(100);
    pay::channels channels_;
    pay::scripted_channel* channel_ = nullptr;
    even_clock even_clock_ = clock_at_noon();
    watched_node node_here_;
    clerk::figures clerk_figures_;
    std::optional<ledger::fence> fence_{{"timed_jobs", book_.fences().raise("timed_jobs").value()}};
    ledger::ledger timed_book_{ledger::fenced(verbs_.db(), [this] { return fence_; })};
    timed_job_options options_;
    std::optional<timed_jobs> jobs_;  // last: its threads use everything above
};

TEST_F(TimedJobsTest, RunOnTheNodeOnDutyAndOnNoOther) {
    const auto unpaid = entered(1);
    const auto closing = with_payment_begun(2);
    ASSERT_TRUE(book_.moves().cancel(closing, {2}, ledger::noon)->moved);
    buy(sale_, 3);
    put_aside_next();
    const auto not_loaded = verbs_.add_sale();
    pass(11min);  // the deadlines are over

    node_here_.duty = false;
    start();
    ASSERT_TRUE(every_job_began());
    jobs_->stop();
    EXPECT_EQ(state_of(unpaid), sale::order_state::unpaid);
    EXPECT_EQ(channel_->queries.calls(), 0U);
    EXPECT_EQ(letters_waiting(), 1);
    EXPECT_FALSE(turnstile_.look_up(not_loaded));

    node_here_.duty = true;
    jobs_->start();
    EXPECT_TRUE(eventually([&] { return state_of(unpaid) == sale::order_state::closed; }));
    EXPECT_TRUE(eventually([&] { return state_of(closing) == sale::order_state::closed; }));
    EXPECT_TRUE(eventually([&] { return letters_waiting() == 0; }));
    EXPECT_TRUE(eventually([&] { return turnstile_.look_up(not_loaded).has_value(); }));
}

TEST_F(TimedJobsTest, ANodeThatLostItsFenceChangesNothingThoughItBelievesItIsOnDuty) {
    const auto unpaid = entered(1);
    pass(11min);
    (void)book_.fences().raise("timed_jobs").value();
    start();
    ASSERT_TRUE(every_job_began());
    jobs_->stop();
    EXPECT_EQ(state_of(unpaid), sale::order_state::unpaid);
}

TEST_F(TimedJobsTest, RaiseTheAlertsOfEveryNode) {
    node_here_.duty = false;
    clerk_figures_.backlog = 1'000'000;
    machine_ahead_ms = 10'000;
    buy(sale_, 3);
    put_aside_next();
    start();
    EXPECT_TRUE(eventually([&] { return stands(alarm::kind::backlog); }));
    EXPECT_TRUE(eventually([&] { return stands(alarm::kind::clock_jumped); }));
    EXPECT_TRUE(eventually([&] { return jobs_->read_figures().letters.waiting == 1; }));
}

// The inquiries are woken in both tests: their own interval is an hour, and their first step came
// too early, off duty.
TEST_F(TimedJobsTest, ACancelledOrderWithAPaymentBegunIsAskedAboutAtOnce) {
    const auto no = with_payment_begun(1);
    node_here_.duty = false;
    start();
    ASSERT_TRUE(every_job_began());
    node_here_.duty = true;
    ASSERT_EQ(buyers_checkout().cancel(no, {1})->step, shop::checkout_step::under_way);
    EXPECT_TRUE(eventually([&] { return state_of(no) == sale::order_state::closed; }));
    EXPECT_EQ(channel_->queries.calls(), 2U) << "before and after closing";
}

TEST_F(TimedJobsTest, ARefundIsAskedForAtOnce) {
    const auto no = with_payment_begun(1);
    ASSERT_TRUE(book_.moves().pay(no, "test", ledger::noon)->moved);
    node_here_.duty = false;
    start();
    ASSERT_TRUE(every_job_began());
    node_here_.duty = true;
    ASSERT_EQ(buyers_checkout().ask_refund(no, {1}, {})->step, shop::checkout_step::under_way);
    EXPECT_TRUE(eventually([&] { return state_of(no) == sale::order_state::refunded; }));
}

TEST_F(TimedJobsTest, ABreachIsPausedOnceThroughTheLedgerOfTheTimedJobs) {
    options_.reconcile_every = 1ms;
    sql(fmt::format("UPDATE sales SET held = held + 2 WHERE id = {}", sale_.value));
    start();
    EXPECT_TRUE(breach_found());
    jobs_->stop();
    EXPECT_EQ(paused(), std::vector{sale_});
}

TEST_F(TimedJobsTest, ABreachIsLeftToTheNodeThatHasTakenTheJobsOver) {
    options_.reconcile_every = 1ms;
    (void)book_.fences().raise("timed_jobs").value();
    sql(fmt::format("UPDATE sales SET held = held + 2 WHERE id = {}", sale_.value));
    start();
    EXPECT_TRUE(breach_found());
    jobs_->stop();
    EXPECT_THAT(paused(), testing::IsEmpty());
    EXPECT_EQ(state(sale_), sale::sale_state::published);
}

TEST_F(TimedJobsTest, OffDutyTheSalesAreLookedAtEveryFiveSecondsOnly) {
    options_.reconcile_every = 1ms;
    node_here_.duty = false;
    start();
    const auto looked_at = [&] { return jobs_->reconciliation().latest().at; };
    ASSERT_TRUE(eventually([&] { return looked_at() == ledger::noon; }));
    EXPECT_TRUE(eventually([&] {
        pass(10ms);
        return looked_at() != ledger::noon;
    }));
    EXPECT_GE(looked_at(), ledger::noon + 5s);
}

}  // namespace
}  // namespace floodgate::jobs
