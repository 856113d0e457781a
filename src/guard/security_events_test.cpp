#include "guard/security_events.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace floodgate::guard {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr instant noon{milliseconds(1'800'000'000'000)};
constexpr std::uint32_t lines_max = security_events::lines_a_second_max;

class SecurityEventsTest : public testing::Test {
protected:
    void fail(int times = 1) {
        for (int i = 0; i < times; ++i) events_.note(security_event::login_failed, stranger_, now_);
    }
    std::uint64_t count(security_event what) const {
        return events_.read_figures().events[static_cast<std::size_t>(what)];
    }

    std::vector<std::string> lines_;
    security_events events_{[this](log::level, std::string_view event, std::string_view pairs) {
        lines_.push_back(std::string(event) + std::string(pairs));
    }};
    const security_events::origin stranger_{
        {}, parse_address("203.0.113.9").value(), "/api/v1/auth/login"};
    const security_events::origin buyer_{
        {17}, parse_address("2001:db8:1:2:3::4").value(), "/api/v1/orders/{no}"};
    instant now_ = noon;
};

TEST_F(SecurityEventsTest, SayWhatHappenedToWhomFromWhere) {
    events_.note(security_event::login_failed, stranger_, now_);
    events_.note(security_event::login, buyer_, now_);
    events_.note_limited(limit::lookup_by_user, buyer_, now_);
    EXPECT_THAT(lines_,
                ElementsAre("guard.login_failed from=203.0.113.9 route=/api/v1/auth/login",
                            "guard.login user=17 from=2001:db8:1:2::/64 route=/api/v1/orders/{no}",
                            "guard.limited limit=lookup_by_user user=17 from=2001:db8:1:2::/64 "
                            "route=/api/v1/orders/{no}"));
}

TEST_F(SecurityEventsTest, SayWhichCheckAMessageFailed) {
    events_.note_message("other_amount", stranger_, now_);
    EXPECT_THAT(lines_, ElementsAre("guard.message_refused verdict=other_amount from=203.0.113.9 "
                                    "route=/api/v1/auth/login"));
    EXPECT_EQ(count(security_event::message_refused), 1U);
}

TEST_F(SecurityEventsTest, AreAllCountedAndALimitAlsoByItsName) {
    fail(1000);
    events_.note_limited(limit::login_by_device, stranger_, now_);
    events_.note_limited(limit::login_by_device, stranger_, now_);
    EXPECT_EQ(count(security_event::login_failed), 1000U);
    EXPECT_EQ(count(security_event::limited), 2U);
    EXPECT_EQ(count(security_event::login), 0U);
    const auto limits = events_.read_figures().limits;
    EXPECT_EQ(limits[static_cast<std::size_t>(limit::login_by_device)], 2U);
    EXPECT_EQ(limits[static_cast<std::size_t>(limit::login_by_account)], 0U);
}

TEST_F(SecurityEventsTest, FillOnlySoManyLinesASecondAndTellHowManyWereLeftOut) {
    fail(1000);
    EXPECT_EQ(lines_.size(), lines_max);
    now_ += milliseconds(999);
    fail(5);
    EXPECT_EQ(lines_.size(), lines_max);
    lines_.clear();
    now_ += milliseconds(1);
    fail();
    EXPECT_THAT(lines_,
                ElementsAre("guard.events_left_out event=login_failed count=" +
                                std::to_string(1005 - lines_max),
                            "guard.login_failed from=203.0.113.9 route=/api/v1/auth/login"));
}

TEST_F(SecurityEventsTest, TellWhatWasLeftOutAlsoWhenNothingMoreHappens) {
    fail(lines_max + 3);
    lines_.clear();
    events_.tell_left_out(now_ + milliseconds(999));
    EXPECT_THAT(lines_, IsEmpty()) << "the second is not over";
    events_.tell_left_out(now_ + milliseconds(1000));
    EXPECT_THAT(lines_, ElementsAre("guard.events_left_out event=login_failed count=3"));
    events_.tell_left_out(now_ + milliseconds(5000));
    EXPECT_EQ(lines_.size(), 1U) << "once";
}

TEST_F(SecurityEventsTest, OfOneKindDoNotHideAnother) {
    fail(1000);
    lines_.clear();
    events_.note(security_event::role_denied, buyer_, now_);
    EXPECT_EQ(lines_.size(), 1U);
}

TEST_F(SecurityEventsTest, OfThreadsThatReadTheClockALittleEarlierCountInTheSameSecond) {
    for (int i = 0; i < 1000; ++i) {
        now_ = noon - milliseconds(i % 2 == 0 ? 0 : 3000);
        fail();
    }
    EXPECT_EQ(lines_.size(), lines_max);
}

TEST_F(SecurityEventsTest, GoOnWhenTheClockWasSetBack) {
    fail(1000);
    lines_.clear();
    now_ -= std::chrono::hours(1);
    fail();
    EXPECT_EQ(lines_.size(), 2U);
}

TEST_F(SecurityEventsTest, MayComeFromAnyThread) {
    std::vector<std::thread> threads;
    threads.reserve(4);
    std::atomic<int> lines{0};
    security_events events{[&](log::level, std::string_view, std::string_view) { ++lines; }};
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 1000; ++i) events.note(security_event::logout, buyer_, now_);
        });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(lines, static_cast<int>(lines_max));
    EXPECT_EQ(events.read_figures().events[static_cast<std::size_t>(security_event::logout)],
              4000U);
}

TEST(SecurityEvent, EveryOneHasAWord) {
    for (int i = 1; i <= security_event_kinds; ++i)
        EXPECT_STRNE(to_text(security_event(i)), "unknown") << i;
    for (int i = 1; i <= limit_kinds; ++i) EXPECT_STRNE(to_text(limit(i)), "unknown") << i;
}

}  // namespace
}  // namespace floodgate::guard
