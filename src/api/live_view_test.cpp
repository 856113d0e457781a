#include "api/live_view.hpp"

#include <boost/json/parse.hpp>

#include <gtest/gtest.h>

namespace floodgate::api {
namespace {

using std::chrono::seconds;

const instant noon = from_ms(1'789'041'600'000);

live_sample sample(std::int64_t node, instant at, std::int64_t accepted) {
    live_sample s{.at = at, .state = {.node = node, .on_duty = node == 1}};
    s.answers[static_cast<std::size_t>(sale::answer::accepted)] = accepted;
    s.counts.sockets = 10 * node;
    s.peaks.lag_ms = 100 * node;
    s.decisions = {{100, 200}, {98, 1, 1}, 0};
    if (node == 1) {
        s.units = {.stock = 10, .free = 7, .paid = 3};
        s.sales = {{.id = {4}, .units = s.units, .breached = false}};
    }
    return s;
}

boost::json::value page(const live_view& v, std::size_t seconds_shown = 60, std::size_t step = 1) {
    return boost::json::parse(v.page(seconds_shown, step));
}

TEST(LiveViewTest, ASampleSurvivesTheWayToAnotherNode) {
    live_sample s = sample(1, noon, 5);
    s.state.reason = "gate \"away\"";
    s.state.warnings = {"one", "two"};
    const auto back = parse_live_sample(to_text(s));
    ASSERT_TRUE(back);
    EXPECT_EQ(to_text(*back), to_text(s));
    EXPECT_EQ(back->sales, s.sales);
    EXPECT_EQ(back->state.warnings, s.state.warnings);
    for (const char* wrong : {"", "{}", "[]", R"({"at":1})", R"({"at":"x","state":{}})"})
        EXPECT_FALSE(parse_live_sample(wrong)) << wrong;
}

TEST(LiveViewTest, AddsUpTheNodesAndTakesTheUnitsFromTheOneOnDuty) {
    live_view v;
    v.hear(to_text(sample(1, noon, 30)));
    v.add(sample(2, noon, 12));
    const auto now = page(v).at("now");
    EXPECT_EQ(now.at("nodes").as_int64(), 2);
    EXPECT_EQ(now.at("answers").at("accepted").as_int64(), 42);
    EXPECT_EQ(now.at("sockets").as_int64(), 30);
    EXPECT_EQ(now.at("lag_ms").as_int64(), 200) << "the greatest, not the sum";
    EXPECT_EQ(now.at("units").at("paid").as_int64(), 3);
    EXPECT_EQ(now.at("sales").as_array().size(), 1U);
    EXPECT_EQ(now.at("nodes_seen").as_array().size(), 2U);
}

TEST(LiveViewTest, LeavesOutANodeThatHasFallenSilent) {
    live_view v;
    v.hear(to_text(sample(2, noon, 30)));
    v.add(sample(1, noon + live_view::fresh_for, 1));
    EXPECT_EQ(page(v).at("now").at("nodes").as_int64(), 2);
    v.add(sample(1, noon + live_view::fresh_for + milliseconds(1), 1));
    EXPECT_EQ(page(v).at("now").at("nodes").as_int64(), 1);
}

TEST(LiveViewTest, DoesNotCountItsOwnWordsTwice) {
    live_view v;
    v.add(sample(1, noon, 5));
    v.hear(to_text(sample(1, noon, 5)));
    v.add(sample(1, noon + seconds(1), 5));
    EXPECT_EQ(page(v).at("now").at("answers").at("accepted").as_int64(), 5);
}

TEST(LiveViewTest, KeepsAnHourAndNoMore) {
    live_view v;
    EXPECT_TRUE(page(v).at("history").as_array().empty());
    EXPECT_EQ(v.message(), nullptr);
    for (int i = 0; i < 3700; ++i) v.add(sample(1, noon + seconds(i), i));
    const auto all = page(v, 3600).at("history").as_array();
    ASSERT_EQ(all.size(), 3600U);
    EXPECT_EQ(all.front().at("answers").at("accepted").as_int64(), 100);
    EXPECT_EQ(all.back().at("answers").at("accepted").as_int64(), 3699);
    const auto few = page(v, 60, 10).at("history").as_array();
    ASSERT_EQ(few.size(), 6U);
    EXPECT_EQ(few.back().at("answers").at("accepted").as_int64(), 3699) << "the newest is in it";
    EXPECT_EQ(few.front().at("answers").at("accepted").as_int64(), 3649);
}

TEST(LiveViewTest, EstimatesPercentilesWithinTheirRange) {
    const histogram::reading r{{100, 200, 400}, {50, 0, 50, 0}, 0};
    EXPECT_DOUBLE_EQ(percentile(r, 0.5), 100);
    EXPECT_DOUBLE_EQ(percentile(r, 0.25), 50);
    EXPECT_DOUBLE_EQ(percentile(r, 0.75), 300);
    EXPECT_DOUBLE_EQ(percentile({{100}, {0, 9}, 0}, 0.5), 100) << "above the last bound";
    EXPECT_DOUBLE_EQ(percentile({}, 0.5), 0);
    EXPECT_EQ(since({{5}, {7, 2}, 9}, {{5}, {3, 2}, 4}).counts, (std::vector<std::uint64_t>{4, 0}));
}

}  // namespace
}  // namespace floodgate::api
