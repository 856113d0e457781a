#include "engine/metrics_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gate/memory_gate.hpp"

namespace floodgate::engine {
namespace {

using testing::HasSubstr;
using testing::Not;

class MetricsPageTest : public testing::Test {
protected:
    gate::memory_gate gate_;
    alarm::board alarms_;
    shop::settlement after_{gate_, nullptr};
    metrics_sources from_{
        .edge = {}, .results = {}, .timed_jobs = {}, .alarms = alarms_, .after = after_};
};

TEST_F(MetricsPageTest, CountsTheAnswersOfTheGateByName) {
    from_.answers[static_cast<std::size_t>(sale::answer::sold_out)] = 7;
    EXPECT_THAT(metrics_page(from_), HasSubstr("{answer=\"sold_out\"} 7\n"));
}

TEST_F(MetricsPageTest, HasAFamilyForTheHttpAnswersThatWereGiven) {
    from_.edge.by_status[202] = 3;
    const std::string page = metrics_page(from_);
    EXPECT_THAT(page, HasSubstr("floodgate_http_answers_total{status=\"202\"} 3\n"));
    EXPECT_THAT(page, Not(HasSubstr("status=\"500\"")));
}

TEST_F(MetricsPageTest, CountsSecurityEventsAndLimitsByNameFromZero) {
    from_.security.events[static_cast<std::size_t>(guard::security_event::login_failed)] = 9;
    from_.security.limits[static_cast<std::size_t>(guard::limit::move_by_user)] = 4;
    const std::string page = metrics_page(from_);
    EXPECT_THAT(page, HasSubstr("floodgate_security_events_total{event=\"login_failed\"} 9\n"));
    EXPECT_THAT(page, HasSubstr("floodgate_security_events_total{event=\"role_denied\"} 0\n"));
    EXPECT_THAT(page, HasSubstr("floodgate_limited_total{limit=\"move_by_user\"} 4\n"));
}

TEST_F(MetricsPageTest, ShowsWhichSwitchesAreOff) {
    from_.switches.sales = false;
    const std::string page = metrics_page(from_);
    EXPECT_THAT(page, HasSubstr("floodgate_switch_on{switch=\"sales\"} 0\n"));
    EXPECT_THAT(page, HasSubstr("floodgate_switch_on{switch=\"logins\"} 1\n"));
}

TEST_F(MetricsPageTest, TellsOfTheProcess) {
    const std::string page = metrics_page(from_);
    EXPECT_THAT(page, HasSubstr("floodgate_build_info{version="));
    for (const char* name :
         {"process_resident_memory_bytes ", "process_open_fds ", "process_start_time_seconds "}) {
        EXPECT_THAT(page, HasSubstr(std::string("\n") + name));
        EXPECT_THAT(page, Not(HasSubstr(std::string("\n") + name + "0\n")));
    }
}

TEST_F(MetricsPageTest, TellsWhyConnectionsWereRefusedOrClosed) {
    from_.edge.refused = 5;
    from_.edge.refused_by_address = 3;
    from_.edge.made_room = 2;
    const std::string page = metrics_page(from_);
    EXPECT_THAT(page, HasSubstr("floodgate_connections_refused_total 5\n"));
    EXPECT_THAT(page, HasSubstr("floodgate_connections_refused_by_address_total 3\n"));
    EXPECT_THAT(page, HasSubstr("floodgate_connections_made_room_total 2\n"));
}

TEST_F(MetricsPageTest, ShowsInterruptedPaymentsInPoints) {
    from_.timed_jobs.points = jobs::points_figures{.confirmed = 5, .cancelled = 2, .open = 1};
    const std::string page = metrics_page(from_);
    EXPECT_THAT(page, HasSubstr("floodgate_points_open_tries 1\n"));
    EXPECT_THAT(page, HasSubstr("floodgate_points_settled_total{as=\"confirmed\"} 5\n"));
    EXPECT_THAT(page, HasSubstr("floodgate_points_settled_total{as=\"cancelled\"} 2\n"));
}

TEST_F(MetricsPageTest, CountsThePointsThatBuyersDoNotHaveYet) {
    from_.timed_jobs.earnings = {.owed = 3, .promised = 40};
    const std::string page = metrics_page(from_);
    EXPECT_THAT(page, HasSubstr("floodgate_points_earnings{state=\"owed\"} 3\n"));
    EXPECT_THAT(page, HasSubstr("floodgate_points_earnings{state=\"promised\"} 40\n"));
}

TEST_F(MetricsPageTest, ShowsTheBacklogAndWhatTheClerkDid) {
    from_.backlog = 12;
    from_.clerk.entered = 34;
    const std::string page = metrics_page(from_);
    EXPECT_THAT(page, HasSubstr("floodgate_backlog_promises 12\n"));
    EXPECT_THAT(page, HasSubstr("floodgate_clerk_entered_total 34\n"));
}

TEST_F(MetricsPageTest, ShowsWhatOnlyAClusterHasOnlyThere) {
    EXPECT_THAT(metrics_page(from_), Not(HasSubstr("floodgate_partition")));
    from_.cluster.emplace();
    from_.cluster->keepers.resize(2);
    from_.cluster->nodes_alive = 3;
    EXPECT_THAT(metrics_page(from_), HasSubstr("floodgate_nodes_alive 3\n"));
}

TEST_F(MetricsPageTest, ShowsTheJournalOnlyWhereThereIsOne) {
    EXPECT_THAT(metrics_page(from_), Not(HasSubstr("floodgate_journal")));
    from_.journal.emplace();
    EXPECT_THAT(metrics_page(from_), HasSubstr("floodgate_journal"));
}

}  // namespace
}  // namespace floodgate::engine
