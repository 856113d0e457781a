#include "sandbox/notify_schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "store/sql/sqlite_database.hpp"

namespace floodgate::sandbox {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

class NotifyScheduleTest : public testing::Test {
protected:
    void add(const std::string& content, const std::string& trade = "order-1",
             channel c = channel::wechat) {
        schedule_->add({.channel = c,
                        .out_trade_no = trade,
                        .url = "http://127.0.0.1/notify",
                        .content = content},
                       set, now);
    }
    // Sends what is due, all refused or all taken, and gives the contents in order.
    std::vector<std::string> send(bool taken = true) {
        std::vector<std::string> sent;
        for (const notify& n : schedule_->due(now, 100)) {
            sent.push_back(n.content);
            schedule_->settle(n.id, taken, taken ? 200 : 500, set, now);
        }
        return sent;
    }
    void restart() { schedule_.emplace(*db_, most_); }
    void limit(std::size_t most) {
        most_ = most;
        restart();
    }
    notify_schedule& schedule() { return *schedule_; }

    switches set;
    instant now = from_ms(1'800'000'000'000);

private:
    std::unique_ptr<store::database> db_ =
        store::open_sqlite({.path = ":memory:", .readers_max = 1});
    std::size_t most_ = notifies_max;
    std::optional<notify_schedule> schedule_{std::in_place, *db_, most_};
};

TEST_F(NotifyScheduleTest, AMessageIsSentAtOnceAndOnce) {
    add("a");
    EXPECT_EQ(schedule().next_due(), now);
    EXPECT_THAT(send(), ElementsAre("a"));
    EXPECT_EQ(schedule().next_due(), never);
}

TEST_F(NotifyScheduleTest, ThePausesAddUpToADay) {
    const auto sum = [](channel c) {
        const auto all = retry_pauses(c);
        return std::accumulate(all.begin(), all.end(), milliseconds(0));
    };
    EXPECT_EQ(sum(channel::alipay), 24h + 24min);  // with two minutes first: 24 h 22 min
    EXPECT_EQ(sum(channel::wechat), 24h + 4min);
}

TEST_F(NotifyScheduleTest, ARefusedMessageComesAgainUntilItIsGivenUp) {
    for (const channel c : {channel::alipay, channel::wechat}) {
        add("a", "order-1", c);
        std::vector<milliseconds> pauses;
        for (instant before = now; schedule().next_due() != never; before = now) {
            now = schedule().next_due();
            pauses.push_back(now - before);
            EXPECT_THAT(send(false), ElementsAre("a"));
        }
        EXPECT_EQ(pauses[0], 0ms);
        pauses.erase(pauses.begin());
        EXPECT_THAT(pauses, testing::ElementsAreArray(retry_pauses(c)));
    }
}

TEST_F(NotifyScheduleTest, TheRetryClockCanRunFaster) {
    set.retry_divisor = 1000;
    add("a", "order-1", channel::alipay);
    send(false);
    EXPECT_EQ(schedule().next_due(), now + 240ms);
    set.alipay_first_retry = 2min;
    add("b", "order-2", channel::alipay);
    send(false);
    EXPECT_EQ(schedule().next_due(), now + 120ms);
}

TEST_F(NotifyScheduleTest, AMessageCanBeLateDoubledOrMissing) {
    set.notify_delay = 5s;
    set.notify_copies = 2;
    add("a");
    EXPECT_TRUE(send().empty());
    now += 6s;
    EXPECT_THAT(send(), ElementsAre("a", "a"));
    set.notify_never = true;
    add("b");
    EXPECT_EQ(schedule().next_due(), never);
}

TEST_F(NotifyScheduleTest, OutOfOrderTheSecondMessageOfATradeComesFirst) {
    set.notify_out_of_order = true;
    set.notify_copies = 2;
    add("paid");
    add("elsewhere", "order-2");
    EXPECT_TRUE(send().empty());
    add("refunded");
    now += 1s;
    EXPECT_THAT(send(), ElementsAre("refunded", "refunded", "paid", "paid"));
    now += 10s;
    EXPECT_THAT(send(), ElementsAre("elsewhere", "elsewhere")) << "nothing came after it";
}

TEST_F(NotifyScheduleTest, ARestartKeepsWhatIsToBeSent) {
    add("a");
    send(false);
    restart();
    const auto all = schedule().all();
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].tries, 1U);
    EXPECT_EQ(all[0].last_status, 500);
    EXPECT_EQ(all[0].due, now + 15s);
    EXPECT_EQ(all[0].channel, channel::wechat);
    add("b");
    EXPECT_EQ(schedule().all().size(), 2U) << "a new message has a new id";
}

TEST_F(NotifyScheduleTest, AtTheLimitTheMessageThatIsDueFirstIsGivenUp) {
    limit(2);
    for (const char* content : {"a", "b", "c"}) add(content);
    EXPECT_THAT(send(), ElementsAre("b", "c"));
}

}  // namespace
}  // namespace floodgate::sandbox
