#include "clerk/clerk.hpp"

#include <gtest/gtest.h>

#include <future>
#include <sched.h>
#include <semaphore>

#include "base/eventually.hpp"
#include "clerk/stand_ins.hpp"

namespace floodgate::clerk {
namespace {

using namespace std::chrono_literals;

constexpr milliseconds far = 20s;  // only a broken clerk lets a test wait so long

struct ClerkTest : testing::Test {
    memory_source source;
    memory_sink sink;
    memory_gate gate;
    manual_clock clock{noon};
    std::promise<std::string> fatal;
    std::mutex mutex;
    std::condition_variable entered;
    telling_node node{[this](auto) { tell(); }};
    options opts{.batch_max = 10, .retry_first = 1ms, .retry_last = 2ms};

    std::unique_ptr<clerk> hire() {
        return std::make_unique<clerk>(
            desk::world{source, sink, gate, clock, node}, opts, sale::sequence{sink.position},
            [this](const std::string& reason) { fatal.set_value(reason); });
    }
    void tell() {
        { const std::lock_guard lock(mutex); }
        entered.notify_all();
    }
    void await_orders(std::size_t count) {
        std::unique_lock lock(mutex);
        ASSERT_TRUE(entered.wait_for(lock, far, [&] { return sink.count() >= count; }));
    }
};

TEST_F(ClerkTest, EntersWhatIsThereAndWhatComes) {
    source.append(25);
    const auto c = hire();
    c->start();
    await_orders(25);
    source.append(3);
    c->notify();
    await_orders(28);
    c->stop();
    EXPECT_EQ(source.forgotten, 28U);
}

TEST_F(ClerkTest, IsWokenByNotifyWithoutWaitingForItsNextLook) {
    opts.poll = 10min;
    const auto c = hire();
    c->start();
    for (std::size_t i = 1; i <= 100; ++i) {
        source.append(1);
        c->notify();
        await_orders(i);
    }
}

TEST_F(ClerkTest, FindsNewPromisesAlsoWhenNobodyNotifies) {
    opts.poll = 1ms;
    const auto c = hire();
    c->start();
    for (std::size_t i = 1; i <= 5; ++i) {
        source.append(1);
        await_orders(i);
    }
}

TEST_F(ClerkTest, LosesNothingUnderManyNotifiersWhileTheLedgerComesAndGoes) {
    opts.poll = 10min;
    opts.linger = 1ms;
    const auto c = hire();
    c->start();
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 200; ++i) {
                source.append(1);
                if (i % 50 == 0) sink.failures_left = 2;
                c->notify();
                static_cast<void>(c->read_figures());
            }
        });
    for (std::thread& t : threads) t.join();
    await_orders(600);
    c->stop();
    EXPECT_EQ(sink.count(), 600U);
    EXPECT_EQ(c->position().value, 600U);
}

// Regression: a periodic task goes on after an exception, but the desk must not.
TEST_F(ClerkTest, EndsWhenAStepIsBrokenOffByAnException) {
    sink.meanwhile = [] { throw std::runtime_error("as told"); };
    source.append(5);
    const auto c = hire();
    c->start();
    auto reason = fatal.get_future();
    ASSERT_EQ(reason.wait_for(far), std::future_status::ready);
    EXPECT_EQ(reason.get(), "as told");
    sink.meanwhile = nullptr;
    c->notify();
    c->stop();
    EXPECT_EQ(sink.count(), 0U) << "not even stop() enters anything now";
}

TEST_F(ClerkTest, StopEntersEverythingThatIsDurable) {
    source.append(1234);
    const auto c = hire();
    c->start();
    c->stop();
    EXPECT_EQ(sink.count(), 1234U);
    c->stop();
}

TEST_F(ClerkTest, StopGivesUpOnALedgerThatStaysAwayAndSkipsNothing) {
    opts.drain = 10ms;
    sink.failures_left = 1'000'000;
    source.append(5);
    auto c = hire();
    c->start();
    c->stop();
    EXPECT_EQ(sink.count(), 0U);
    EXPECT_EQ(source.forgotten, 0U);

    sink.failures_left = 0;
    c = hire();
    c->start();
    await_orders(5);
}

TEST_F(ClerkTest, ReportsACorruptJournalOnceAndStops) {
    source.append(5);
    source.corrupt = true;
    const auto c = hire();
    c->start();
    std::future<std::string> reason = fatal.get_future();
    ASSERT_EQ(reason.wait_for(far), std::future_status::ready);
    EXPECT_EQ(reason.get(), "journal: corrupt data");
    c->stop();  // a second report would throw in set_value
    EXPECT_EQ(sink.count(), 0U);
}

TEST_F(ClerkTest, InARushWaitsForALargerBatch) {
    opts.batch_max = 1000;
    opts.linger = 10min;
    opts.poll = 10min;
    source.append(1);
    sink.meanwhile = [&, first = true]() mutable {
        if (std::exchange(first, false)) source.append(1);  // a rush: more comes meanwhile
    };
    const auto c = hire();
    c->start();
    await_orders(1);
    for (int i = 0; i < 50; ++i) {
        source.append(1);
        c->notify();
    }
    // The overseer runs every 100 ms: between two of its looks a woken clerk would have entered.
    const int seen = sink.overseen;
    ASSERT_TRUE(eventually([&] { return sink.overseen > seen + 1; }));
    EXPECT_EQ(sink.count(), 1U) << "news must not end the waiting";
    c->stop();  // does
    EXPECT_EQ(sink.batches, (std::vector<std::size_t>{1, 51}));
}

TEST_F(ClerkTest, StandsAsideInARushUntilABuyerHasWaitedTooLong) {
    opts.rush_per_s = 0;  // whatever comes at all is a rush
    std::atomic<bool> rush{true};
    // Between two looks of the clerk there is always something new, however busy the machine is.
    source.before_look = [&] {
        if (rush) source.append(1);
    };
    const auto c = hire();
    c->start();
    ASSERT_TRUE(eventually([&] {
        source.append(1);
        return source.last > 200;
    }));
    const std::size_t before = sink.count();
    EXPECT_LT(before, source.last / 2) << "it should have left most of them for later";
    clock.advance(6s);
    await_orders(before + 20);  // in spite of the rush
    rush = false;
    c->stop();
}

// Uses the machine's own scheduler. Where a lowered thread cannot be raised, none is lowered.
class LowClerkTest : public ClerkTest {
protected:
    void SetUp() override {
        if (!worker_priority().can_return())
            GTEST_SKIP() << "may not raise a thread's priority here";
    }

    // Enters an order, calls `happen` while the clerk is low, and waits until it is raised.
    void expect_raised_when(const std::function<void()>& happen) {
        std::promise<int> at_first;
        std::promise<bool> raised;
        sink.meanwhile = [&] {
            at_first.set_value(::sched_getscheduler(0));
            const auto deadline = std::chrono::steady_clock::now() + far;
            const auto is_low = [] { return ::sched_getscheduler(0) != SCHED_OTHER; };
            while (is_low() && std::chrono::steady_clock::now() < deadline)
                std::this_thread::yield();
            raised.set_value(!is_low());
        };
        source.append(1);
        const auto c = hire();
        c->start();
        EXPECT_EQ(at_first.get_future().get(), SCHED_IDLE);
        happen();
        EXPECT_TRUE(raised.get_future().get());
        await_orders(1);
    }
};

TEST_F(LowClerkTest, IsRaisedWhenBuyersHaveWaitedTooLong) {
    expect_raised_when([&] { clock.advance(31s); });
}

TEST_F(LowClerkTest, IsRaisedWhenOthersWaitToWrite) {
    expect_raised_when([&] { sink.others_wait = true; });
}

TEST(WorkerPriority, ForbiddingRaisesAWorkerThatIsLowAndAllowingLowersTheNextTime) {
    worker_priority p;
    if (!p.can_return()) GTEST_SKIP() << "may not raise a thread's priority here";
    std::thread([&p] {
        const auto policy = [] { return ::sched_getscheduler(0); };
        p.adopt();
        p.lower();
        EXPECT_EQ(policy(), SCHED_IDLE);
        p.allow(false);
        EXPECT_EQ(policy(), SCHED_OTHER);
        p.restore();
        p.lower();
        EXPECT_EQ(policy(), SCHED_OTHER) << "forbidden";
        p.restore();
        p.allow(true);
        EXPECT_EQ(policy(), SCHED_OTHER) << "between batches it is never low";
        p.lower();
        EXPECT_EQ(policy(), SCHED_IDLE);
        p.restore();
        EXPECT_EQ(policy(), SCHED_OTHER);
    }).join();
}

}  // namespace
}  // namespace floodgate::clerk
