#include "pay/call_recording.hpp"

#include <gmock/gmock.h>

#include <stdexcept>
#include <thread>

namespace floodgate::pay {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class CallRecordingTest : public testing::Test {
protected:
    void call(const char* asked) {
        noted_call c(asked, clock_);
        clock_.advance(milliseconds(7));
        c.came_to(call_outcome::answered, "fine");
    }

    manual_clock clock_{instant(milliseconds(1'000))};
};

TEST_F(CallRecordingTest, ACallIsNotedWithItsTime) {
    const call_recording all;
    call("query");
    ASSERT_THAT(all.calls(), SizeIs(1));
    const remote_call& c = all.calls()[0];
    EXPECT_EQ(c.asked, "query");
    EXPECT_EQ(c.outcome, call_outcome::answered);
    EXPECT_EQ(c.answer, "fine");
    EXPECT_EQ(c.at, instant(milliseconds(1'000)));
    EXPECT_EQ(c.took, milliseconds(7));
}

TEST_F(CallRecordingTest, TheInnermostRecordingGetsIt) {
    const call_recording outer;
    {
        const call_recording inner;
        call("close");
        EXPECT_THAT(inner.calls(), SizeIs(1));
    }
    call("query");
    ASSERT_THAT(outer.calls(), SizeIs(1));
    EXPECT_EQ(outer.calls()[0].asked, "query");
}

TEST_F(CallRecordingTest, CallsOfOtherThreadsAreNotItsOwn) {
    const call_recording all;
    std::jthread([&] { call("query"); }).join();
    EXPECT_THAT(all.calls(), IsEmpty());
}

TEST_F(CallRecordingTest, ACallThatThrowsHasFailed) {
    const call_recording all;
    try {
        const noted_call c("refund", clock_);
        throw std::runtime_error("x");
    } catch (const std::runtime_error&) {
    }
    ASSERT_THAT(all.calls(), SizeIs(1));
    EXPECT_EQ(all.calls()[0].outcome, call_outcome::failed);
}

TEST_F(CallRecordingTest, AClockThatIsSetBackMakesNoNegativeTime) {
    const call_recording all;
    noted_call c("query", clock_);
    clock_.set(instant(milliseconds(1)));
    c.came_to(call_outcome::no_answer, "");
    EXPECT_EQ(all.calls()[0].took, milliseconds(0));
}

TEST_F(CallRecordingTest, IsBounded) {
    const call_recording all;
    for (int i = 0; i < 100; ++i) call("query");
    EXPECT_THAT(all.calls(), SizeIs(call_recording::calls_max));
}

}  // namespace
}  // namespace floodgate::pay
