#include "engine/live_sampler.hpp"

#include <gtest/gtest.h>

#include "gate/memory_gate.hpp"
#include "ledger/ledger_fixture.hpp"

namespace floodgate::engine {
namespace {

using ledger::noon;
using std::chrono::seconds;

class LiveSamplerTest : public testing::Test {
protected:
    api::live_sample take(instant at) { return sampler_.take(from_, stores_, ready_, at); }

    ledger::scratch_directory directory_;
    ledger::book_verbs verbs_{ledger::databases().at(0).open(directory_)};
    gate::memory_gate gate_;
    alarm::board alarms_;
    shop::settlement after_{gate_, nullptr};
    metrics_sources from_{
        .edge = {}, .results = {}, .timed_jobs = {}, .alarms = alarms_, .after = after_};
    store_sight stores_{.gate_answers = true, .ledger_answers = true};
    api::readiness ready_;
    live_sampler sampler_{5, verbs_.book().moves()};
};

TEST_F(LiveSamplerTest, CountsWhatCameSinceTheLastSampleBySecond) {
    const auto accepted = static_cast<std::size_t>(sale::answer::accepted);
    from_.answers[accepted] = 1000;
    from_.edge.by_status[202] = 1000;
    EXPECT_EQ(take(noon).answers[accepted], 0) << "nothing is known of the time before";
    from_.answers[accepted] = 1300;
    from_.edge.by_status[202] = 1300;
    from_.edge.by_status[503] = 10;
    from_.edge.decisions[3] = 300;
    const auto s = take(noon + seconds(2));
    EXPECT_EQ(s.answers[accepted], 150);
    EXPECT_EQ(s.counts.requests, 155);
    EXPECT_EQ(s.counts.errors, 5);
    EXPECT_EQ(s.decisions.total(), 300U);
    EXPECT_EQ(s.state.node, 5);
    EXPECT_TRUE(s.state.on_duty);
}

TEST_F(LiveSamplerTest, ListsTheSalesThatChangedLastAndSumsAll) {
    auto& sales = from_.timed_jobs.reconciliation.sales;
    for (std::int64_t id = 1; id <= 60; ++id)
        sales.push_back({.sale = {id}, .stock = 10, .free = 10});
    take(noon);
    sales[2].free = 9;
    sales[2].promised = 1;
    const auto s = take(noon + seconds(1));
    EXPECT_EQ(s.units.stock, 600);
    EXPECT_EQ(s.units.free, 599);
    ASSERT_EQ(s.sales.size(), live_sampler::sales_listed_max);
    EXPECT_EQ(s.sales[0].id.value, 3);
    EXPECT_EQ(s.sales[0].units.promised, 1);
    EXPECT_EQ(s.sales[1].id.value, 60) << "then the newest";
}

TEST_F(LiveSamplerTest, TellsHowTheNodeAndItsStoresAre) {
    ready_ = {.why_not = "stopping", .warnings = {"weak: no sync"}};
    stores_.ledger_answers = false;
    from_.cluster.emplace();
    from_.cluster->keepers.resize(4);
    from_.cluster->keepers[1].holds = true;
    const auto s = take(noon);
    EXPECT_EQ(s.state.reason, "stopping");
    EXPECT_EQ(s.state.warnings.size(), 1U);
    EXPECT_FALSE(s.state.ledger_answers);
    EXPECT_FALSE(s.state.on_duty);
    EXPECT_EQ(s.state.partitions, 4);
    EXPECT_EQ(s.state.partitions_kept, 1);
}

}  // namespace
}  // namespace floodgate::engine
