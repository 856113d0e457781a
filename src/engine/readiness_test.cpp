#include "engine/readiness.hpp"

#include <gtest/gtest.h>

namespace floodgate::engine {
namespace {

using warnings = std::vector<std::string>;

store_sight all_well(std::uint32_t partitions = 1) {
    return {.gate_answers = true,
            .built_once = true,
            .gate = {.partitions = partitions},
            .ledger_answers = true};
}

TEST(Readiness, IsGivenWhenAllIsWell) {
    const api::readiness r = judge_readiness(all_well(8));
    EXPECT_EQ(r.why_not, "");
    EXPECT_EQ(r.warnings, warnings{});
}

TEST(Readiness, OutlastsALedgerThatIsAway) {
    store_sight seen = all_well(8);
    seen.ledger_answers = false;
    const api::readiness r = judge_readiness(seen);
    EXPECT_EQ(r.why_not, "") << "purchases are accepted, and entered later";
    EXPECT_EQ(r.warnings, warnings{"ledger: no answer from the database"});
}

TEST(Readiness, OutlastsALedgerThatCanOnlyBeRead) {
    store_sight seen = all_well();
    seen.ledger_enters = false;
    EXPECT_EQ(judge_readiness(seen).why_not, "");
    EXPECT_EQ(judge_readiness(seen).warnings, warnings{"ledger: orders cannot be entered now"});
}

TEST(Readiness, OutlastsPointsThatLiveElsewhereAndDoNotAnswer) {
    store_sight seen = all_well();
    seen.points_answer = false;
    EXPECT_EQ(judge_readiness(seen).why_not, "");
    EXPECT_EQ(judge_readiness(seen).warnings,
              warnings{"points: no answer; other ways to pay go on"});
}

TEST(Readiness, EndsWithTheGate) {
    store_sight seen = all_well(8);
    seen.gate_answers = false;
    EXPECT_EQ(judge_readiness(seen).why_not, "gate: no answer");
    seen.ledger_answers = false;
    EXPECT_EQ(judge_readiness(seen).warnings, warnings{"ledger: no answer from the database"});
}

TEST(Readiness, WaitsAtFirstUntilEveryPartitionIsBuilt) {
    store_sight seen = all_well(8);
    seen.built_once = false;
    seen.gate.closed = 1;
    EXPECT_EQ(judge_readiness(seen).why_not, "gate: being built from the ledger");
}

TEST(Readiness, LaterWarnsOfPartitionsThatDoNotSell) {
    store_sight seen = all_well(8);
    seen.gate.closed = 1;
    seen.gate.full = 6;
    const api::readiness r = judge_readiness(seen);
    EXPECT_EQ(r.why_not, "") << "one still sells";
    EXPECT_EQ(r.warnings,
              (warnings{"gate: 1 of 8 partitions are being rebuilt",
                        "gate: 6 of 8 partitions have too many promises waiting for the ledger"}));
}

TEST(Readiness, EndsWhenNoPartitionSells) {
    store_sight seen = all_well(8);
    seen.gate.closed = 8;
    EXPECT_EQ(judge_readiness(seen).why_not, "gate: being rebuilt from the ledger");
    seen.gate = {.partitions = 1, .full = 1};
    EXPECT_EQ(judge_readiness(seen).why_not, "gate: too many promises wait for the ledger");
}

}  // namespace
}  // namespace floodgate::engine
