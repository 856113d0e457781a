#include "base/failure_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace floodgate {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// The lines that are logged while `act` runs.
template <class Act>
std::string logged(Act act) {
    testing::internal::CaptureStderr();
    act();
    return testing::internal::GetCapturedStderr();
}

struct FailureLogTest : testing::Test {
    failure_log log_{log::level::warning, "queue.stream", "partition", 3};
};

TEST_F(FailureLogTest, TellsOfTheFirstFailureAndOfTheRecovery) {
    EXPECT_THAT(logged([&] { log_.failed("no answer"); }),
                AllOf(HasSubstr("warning"),
                      HasSubstr("queue.stream_failed partition=3 reason=\"no answer\"\n")));
    EXPECT_EQ(logged([&] {
                  log_.failed("no answer");
                  log_.failed("another reason");
              }),
              "");
    EXPECT_EQ(log_.failures(), 3U);
    EXPECT_THAT(
        logged([&] { log_.succeeded(); }),
        AllOf(HasSubstr("info"), HasSubstr("queue.stream_recovered partition=3 failures=3\n")));
    EXPECT_EQ(log_.failures(), 0U);
}

TEST_F(FailureLogTest, SaysNothingWhileAllIsWell) {
    EXPECT_EQ(logged([&] {
                  log_.succeeded();
                  log_.succeeded();
              }),
              "");
}

TEST_F(FailureLogTest, TellsOfEachFailureThatBeginsAnew) {
    EXPECT_NE(logged([&] { log_.failed("first"); }), "");
    EXPECT_NE(logged([&] { log_.succeeded(); }), "");
    EXPECT_THAT(logged([&] { log_.failed("second"); }), HasSubstr("reason=second"));
}

}  // namespace
}  // namespace floodgate
