#include "jobs/points_earnings.hpp"

#include "jobs/points_fixture.hpp"

namespace floodgate::jobs {
namespace {

using namespace std::chrono_literals;
using ledger::earning_state;
using points::balance;
using points::kind;
using points::try_state;

constexpr std::int64_t each = 7;
constexpr auto week = std::chrono::hours(24 * 7);

struct PointsEarningsTest : PointsLife {
    PointsEarningsTest() { verbs_.sql(fmt::format("UPDATE sales SET earns_points = {}", each)); }

    sale::order paid(std::int64_t buyer) {
        const sale::order o = buy_with(buyer, "test");
        EXPECT_TRUE(moves_.pay(o.no, "test", clock_.now()).value().moved);
        return o;
    }
    void ask_refund(const sale::order& o, const ledger::refund_wish& wish = {}) {
        ASSERT_TRUE(moves_.ask_refund(o.no, {}, wish, clock_.now()).value().moved);
    }
    void finish_refund(const sale::order& o) {
        const auto number = fmt::format("{}R1", o.no.value);
        ASSERT_TRUE(moves_.finish_refund(o.no, number, clock_.now()).value().moved);
    }
    void refund(const sale::order& o) {
        ask_refund(o);
        finish_refund(o);
    }
    sale::order promised(std::int64_t buyer) {
        sale::order o = paid(buyer);
        job_.step();
        EXPECT_EQ(stands(o), "promised");
        return o;
    }
    std::string stands(const sale::order& o) {
        return ledger::to_text(book_.earnings().find(o.no).value().state);
    }
    std::optional<try_state> earn_of(const sale::order& o) {
        return accounts_.state_of(o.no, kind::earn).value();
    }
    void pass(milliseconds time) {
        clock_.advance(time);
        job_.step();
    }

    points_earnings job_{{scripted_, book_.earnings(), clock_}};
};

constexpr balance pending{{0}, {0}, {each}}, available{{each}, {0}, {0}};

TEST_F(PointsEarningsTest, PointsAreShownAtOnceAndGivenWhenTheOrderCanNoLongerBeGivenBack) {
    const auto o = paid(1);
    EXPECT_EQ(of(1), balance{});
    job_.step();
    EXPECT_EQ(of(1), pending);
    pass(week + 4999ms);
    EXPECT_EQ(of(1), pending) << "a refund may still be on its way";
    pass(1ms);
    EXPECT_EQ(of(1), available);
    EXPECT_EQ(stands(o), "given");
    EXPECT_FALSE(job_.step());
    EXPECT_EQ(accounts_.history({1}, 0, 9).value().size(), 2U);
}

// All that an open earning and its order can be.
TEST_F(PointsEarningsTest, TheStateOfTheOrderSaysWhatBecomesOfThem) {
    struct row {
        bool promised;
        std::string order_is, becomes;
        std::optional<try_state> earn;
    };
    const std::vector<row> table{
        {false, "paid", "promised", try_state::open},
        {false, "refunding", "promised", try_state::open},
        {false, "refunded", "gone", try_state::cancelled},
        {false, "closed", "owed", std::nullopt},
        {true, "paid", "given", try_state::confirmed},
        {true, "refunding", "promised", try_state::open},
        {true, "refunded", "gone", try_state::cancelled},
        {true, "closed", "promised", try_state::open},
    };
    std::int64_t buyer = 0;
    for (const row& r : table) {
        SCOPED_TRACE(fmt::format("{} {}", r.promised ? "promised" : "owed", r.order_is));
        const auto o = r.promised ? promised(++buyer) : paid(++buyer);
        clock_.advance(r.promised ? week + 5s : 0s);
        verbs_.sql(fmt::format("UPDATE orders SET state = '{}' WHERE order_no = {}", r.order_is,
                               o.no.value));
        job_.step();
        EXPECT_EQ(stands(o), r.becomes);
        EXPECT_EQ(earn_of(o), r.earn);
    }
}

TEST_F(PointsEarningsTest, ARefundTakesThePromiseBackAtOnce) {
    const auto early = paid(1), late = promised(2);
    EXPECT_EQ(of(1), pending);
    refund(early);
    refund(late);
    job_.step();
    for (const auto& o : {early, late}) EXPECT_EQ(stands(o), "gone");
    EXPECT_EQ(of(1), balance{});
    EXPECT_EQ(of(2), balance{});
    expect_books_agree();
}

TEST_F(PointsEarningsTest, ARefundThatComesBetweenTheCallAndTheLedgerIsNoticed) {
    const auto o = paid(1);
    bool refunded = false;
    scripted_.after = [&] {
        if (!std::exchange(refunded, true)) refund(o);
        return false;
    };
    job_.step();
    EXPECT_EQ(of(1), pending);
    EXPECT_EQ(stands(o), "owed");
    job_.step();
    EXPECT_EQ(of(1), balance{});
    EXPECT_EQ(stands(o), "gone");
}

TEST_F(PointsEarningsTest, ARefundInPartKeepsThePoints) {
    const auto o = promised(1);
    ask_refund(o, {.amount = {100}});
    pass(week + 5s);
    EXPECT_EQ(of(1), pending) << "it may become a whole one";
    finish_refund(o);
    pass(29s);
    EXPECT_EQ(of(1), pending);
    pass(1s);
    EXPECT_EQ(of(1), available);
}

TEST_F(PointsEarningsTest, PointsThatWereGivenStayWhenTheOrderIsRefundedLater) {
    const auto o = promised(1);
    pass(week + 5s);
    refund(o);
    pass(1h);
    EXPECT_EQ(stands(o), "given");
    EXPECT_EQ(of(1), available);
}

// The answer of the accounts was lost, so the ledger does not know that they were given.
TEST_F(PointsEarningsTest, PointsThatWereGivenWithoutTheLedgersKnowledgeStayToo) {
    const auto o = promised(1);
    scripted_.after = [] { return true; };
    pass(week + 5s);
    scripted_.after = nullptr;
    EXPECT_EQ(of(1), available);
    EXPECT_EQ(stands(o), "promised");
    refund(o);
    pass(1s);
    EXPECT_EQ(stands(o), "given");
    EXPECT_EQ(of(1), available);
}

TEST_F(PointsEarningsTest, AnAccountThatIsFullEarnsNothing) {
    for (int i = 0; i < 10; ++i)
        accounts_.grant({{1}, points::amount_max, "a gift", {1}, fmt::format("f{}", i)}, noon)
            .value();
    const auto o = paid(1), of_another = paid(2);
    job_.step();
    EXPECT_EQ(stands(o), "gone");
    EXPECT_EQ(earn_of(o), try_state::cancelled);
    EXPECT_EQ(of(1).pending.value, 0);
    EXPECT_EQ(stands(of_another), "promised");
}

TEST_F(PointsEarningsTest, OneThatMakesNoSenseDoesNotHoldUpTheOthers) {
    const auto odd = paid(1), good = paid(2);
    accounts_.try_earn(odd.no, {9}, {1}, noon).value();
    job_.step();
    EXPECT_EQ(stands(odd), "owed");
    EXPECT_EQ(stands(good), "promised");
    int calls = 0;
    scripted_.before = [&] { return ++calls, false; };
    pass(599s);
    EXPECT_EQ(calls, 0);
    pass(1s);
    EXPECT_EQ(calls, 1);
}

TEST_F(PointsEarningsTest, AFailingStoreIsAskedLessAndLessOften) {
    const auto done = paid(1), o = paid(2);
    int calls = 0;
    scripted_.before = [&] { return ++calls > 1; };
    job_.step();
    EXPECT_EQ(calls, 2);
    EXPECT_EQ(stands(done), "promised") << "what was done before is kept";
    EXPECT_EQ(stands(o), "owed");
    for (const auto pause : {1s, 2s, 4s, 8s, 10s, 10s}) {
        const int before = calls;
        pass(pause - 1ms);
        EXPECT_EQ(calls, before);
        pass(1ms);
        EXPECT_EQ(calls, before + 1);
    }
    scripted_.before = nullptr;
    pass(10s);
    EXPECT_EQ(stands(o), "promised");
}

TEST_F(PointsEarningsTest, AFailingLedgerIsAskedAgainLater) {
    const auto o = paid(1);
    scripted_.after = [&] { return break_ledger(), false; };
    job_.step();
    scripted_.after = nullptr;
    mend_ledger();
    EXPECT_EQ(earn_of(o), try_state::open);
    EXPECT_EQ(stands(o), "owed");
    job_.step();
    EXPECT_EQ(stands(o), "owed") << "it pauses";
    pass(1s);
    EXPECT_EQ(stands(o), "promised");
    EXPECT_EQ(of(1), pending);
}

TEST_F(PointsEarningsTest, MoreThanAStepTakesAreDoneInSeveral) {
    points_earnings small({scripted_, book_.earnings(), clock_}, {.at_once = 2});
    for (std::int64_t buyer = 1; buyer <= 5; ++buyer) paid(buyer);
    EXPECT_TRUE(small.step());
    EXPECT_TRUE(small.step());
    EXPECT_FALSE(small.step());
    for (std::int64_t buyer = 1; buyer <= 5; ++buyer) EXPECT_EQ(of(buyer), pending);
}

TEST_F(PointsEarningsTest, APromiseThatTheAccountsHaveLostIsMadeAgain) {
    const auto o = promised(1);
    points_db_->writer()->execute("DELETE FROM points_tries");
    points_db_->writer()->execute("DELETE FROM points_log");
    points_db_->writer()->execute("DELETE FROM points_accounts");
    pass(week + 5s);
    EXPECT_EQ(stands(o), "owed");
    job_.step();
    job_.step();
    EXPECT_EQ(stands(o), "given");
    EXPECT_EQ(of(1), available);
}

TEST_F(PointsEarningsTest, OpenOnesAreCountedNowAndThen) {
    paid(1), promised(2), paid(3);
    EXPECT_EQ(job_.read_figures().promised, 2);
    pass(14s);
    EXPECT_EQ(job_.read_figures().promised, 2);
    pass(1s);
    EXPECT_EQ(job_.read_figures().promised, 3);
    EXPECT_EQ(job_.read_figures().owed, 0);
}

}  // namespace
}  // namespace floodgate::jobs
