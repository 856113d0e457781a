#include "shop/stream_in_flight.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "ledger/ledger_fixture.hpp"

namespace floodgate::shop {
namespace {

using gate::partition_state;
using ledger::outcome;

class StreamInFlightTest : public testing::Test {
protected:
    static constexpr std::uint32_t partitions = 4;
    static constexpr sale::sale_id sale_{6};  // of partition 2

    StreamInFlightTest() {
        for (std::uint32_t n = 0; n < partitions; ++n) gate_[n] = partition_state{5, true, 0, 0};
        for (std::uint32_t n = 0; n < partitions; ++n) enter({n}, {5, 0});
    }
    // The ledger has entered the partition's line up to there.
    void enter(sale::partition p, sale::line_place to) {
        EXPECT_TRUE(book_.orders()
                        .enter({}, {sale::to_sequence(to), sale::line_of(p)}, ledger::noon)
                        .has_value());
    }
    std::uint64_t count() { return between_.count(book_.tallies().take().value()); }
    void pass(milliseconds time) {
        clock_.advance(time);
        waited_ += time;
        if (meanwhile_) meanwhile_();
    }

    ledger::scratch_directory directory_;
    ledger::book_verbs verbs_{ledger::databases().at(1).open(directory_)};
    ledger::ledger& book_ = verbs_.book();
    std::array<result<partition_state>, partitions> gate_{};
    manual_monotonic_clock clock_;
    milliseconds waited_{0};
    std::function<void()> meanwhile_;
    stream_in_flight between_{{.book = book_,
                               .state_of = [this](sale::partition p) { return gate_[p.number]; },
                               .partitions = partitions,
                               .clock = clock_,
                               .rest = [this](milliseconds time) { pass(time); }}};
};

TEST_F(StreamInFlightTest, AreThePromisesOfEveryPartitionThatTheLedgerHasNotEntered) {
    EXPECT_EQ(count(), 0U);
    gate_[0]->appended = 10;
    gate_[3]->appended = 7;
    enter({3}, {5, 4});
    EXPECT_EQ(count(), 13U);
}

TEST_F(StreamInFlightTest, ALedgerThatIsFurtherThanTheGateWasCountsAsNone) {
    gate_[0]->appended = 10;
    gate_[1]->appended = 1;
    enter({1}, {5, 3});
    EXPECT_EQ(count(), 10U);
}

TEST_F(StreamInFlightTest, MayBeAnyNumberWhileAPartitionCannotBeAskedOrIsRebuilt) {
    const std::uint64_t many = 1'000'000;
    gate_[1] = errc::store_unavailable;
    EXPECT_GT(count(), many);
    gate_[1] = partition_state{5, false, 0, 0};
    EXPECT_GT(count(), many) << "closed";
    gate_[1] = partition_state{6, true, 0, 0};
    EXPECT_GT(count(), many) << "of another epoch than the ledger";
    gate_[1] = partition_state{5, true, 0, 0};
    EXPECT_EQ(count(), 0U);
}

TEST_F(StreamInFlightTest, ASaleHasNoneOnceItsPartitionIsInTheLedger) {
    gate_[2]->appended = 3;
    gate_[1]->appended = 100;  // others do not matter
    enter({2}, {5, 3});
    EXPECT_THAT(between_.of_sale(sale_).value(), testing::IsEmpty());
    EXPECT_EQ(waited_, milliseconds(0));
}

TEST_F(StreamInFlightTest, ASaleIsWaitedForUntilItsPartitionHasBeenEnteredSoFar) {
    gate_[2]->appended = 3;
    meanwhile_ = [this] {
        ++gate_[2]->appended;  // what comes later is not waited for
        if (waited_ == milliseconds(40)) enter({2}, {5, 2});
        if (waited_ == milliseconds(100)) enter({2}, {5, 3});
    };
    EXPECT_THAT(between_.of_sale(sale_).value(), testing::IsEmpty());
    EXPECT_EQ(waited_, milliseconds(100));
}

TEST_F(StreamInFlightTest, ASaleIsUnknownWhenItsPartitionIsNotEnteredInTime) {
    gate_[2]->appended = 3;
    EXPECT_EQ(outcome(between_.of_sale(sale_)), errc::store_unavailable);
    EXPECT_EQ(waited_, milliseconds(3000));
}

TEST_F(StreamInFlightTest, ASaleIsUnknownWhenItsGateCannotBeAsked) {
    gate_[2] = errc::store_unavailable;
    EXPECT_EQ(outcome(between_.of_sale(sale_)), errc::store_unavailable);
    EXPECT_EQ(waited_, milliseconds(0));
}

}  // namespace
}  // namespace floodgate::shop
