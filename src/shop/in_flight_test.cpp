#include "shop/in_flight.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ledger/ledger_fixture.hpp"

namespace floodgate::shop {
namespace {

using ledger::outcome;

// A journal whose end may not be durable yet.
class slow_journal final : public sale::promise_source {
public:
    std::vector<sale::promise> appended;
    std::uint64_t synced = 0;

    result<void> read(sale::sequence after, std::size_t max,
                      std::vector<sale::promise>& out) override {
        out.clear();
        for (std::size_t i = after.value; i < synced && out.size() < max; ++i)
            out.push_back(appended[i]);
        return {};
    }
    void entered(sale::sequence) override {}
    sale::sequence durable() const override { return {synced}; }
};

class JournalInFlightTest : public testing::Test {
protected:
    sale::order_no append(sale::sale_id to, std::int64_t buyer) {
        journal_.appended.push_back(verbs_.promise(to, buyer));
        return journal_.appended.back().order;
    }
    void pass(milliseconds time) {
        waited_ += time;
        if (waited_ >= synced_after_) journal_.synced = journal_.appended.size();
    }

    ledger::scratch_directory directory_;
    ledger::book_verbs verbs_{ledger::databases().at(1).open(directory_)};
    const sale::sale_id sale_ = verbs_.add_sale(), other_ = verbs_.add_sale();
    slow_journal journal_;
    milliseconds waited_{0}, synced_after_{0};
    journal_in_flight between_{verbs_.book(), journal_,
                               [this] { return sale::sequence{journal_.appended.size()}; },
                               [this](milliseconds time) { pass(time); }};
};

TEST_F(JournalInFlightTest, AreThePromisesAfterTheLedgersPosition) {
    append(sale_, 1);
    verbs_.enter({journal_.appended[0]});
    const auto second = append(sale_, 2);
    append(other_, 3);
    const auto fourth = append(sale_, 4);
    journal_.synced = 4;
    EXPECT_EQ(between_.count(verbs_.book().tallies().take().value()), 3U) << "of all sales";
    EXPECT_THAT(between_.of_sale(sale_).value(), testing::ElementsAre(second, fourth));
    EXPECT_EQ(waited_, milliseconds(0));
}

TEST_F(JournalInFlightTest, AreReadWhenTheyAreDurable) {
    const auto no = append(sale_, 1);
    synced_after_ = milliseconds(7);
    EXPECT_EQ(between_.count(verbs_.book().tallies().take().value()), 1U) << "durable or not";
    EXPECT_THAT(between_.of_sale(sale_).value(), testing::ElementsAre(no));
    EXPECT_EQ(waited_, milliseconds(7));
}

TEST_F(JournalInFlightTest, AreUnknownWhileTheDiskHangs) {
    append(sale_, 1);
    synced_after_ = milliseconds(1'000'000);
    EXPECT_EQ(outcome(between_.of_sale(sale_)), errc::store_unavailable);
    EXPECT_EQ(waited_, milliseconds(1000));
}

}  // namespace
}  // namespace floodgate::shop
