#include "engine/store_health.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "ledger/ledger_fixture.hpp"
#include "points/account_book.hpp"
#include "points/scripted_accounts.hpp"

namespace floodgate::engine {
namespace {

class idle_lines final : public promise_lines {
public:
    void start() override {}
    void stop() override {}
    shop::in_flight& in_flight() override { std::abort(); }
    clerk::figures read_figures() const override { return figures; }

    clerk::figures figures;
};

// Only what store_health looks at.
class seen_ports final : public ports {
public:
    explicit seen_ports(ledger::ledger& book) : book_(book) {}

    ledger::ledger& book() override { return book_; }
    promise_lines& lines() override { return line; }
    std::optional<gate_sight> look_at_gate() override { return gate_seen; }

    ledger::ledger& timed_book() override { std::abort(); }
    points::accounts* points() override { return nullptr; }
    gate::turnstile& gate() override { std::abort(); }
    guard::ticket_office& tickets() override { std::abort(); }
    shop::node& node() override { std::abort(); }
    void join(const local_shop&, jobs::timed_jobs&) override {}
    void load_gate() override {}
    void start() override {}
    void stop() override {}
    std::vector<std::string> durability() override { return {}; }
    void measure(metrics_sources&) override {}

    std::optional<gate_sight> gate_seen;
    idle_lines line;

private:
    ledger::ledger& book_;
};

class StoreHealthTest : public testing::Test {
protected:
    ledger::scratch_directory directory_;
    ledger::book_verbs verbs_{ledger::databases().front().open(directory_)};
    std::unique_ptr<store::database> points_db_ = store::test_databases().front().open(directory_);
    seen_ports ports_{verbs_.book()};
    manual_monotonic_clock clock_;
    store_health health_{ports_, nullptr, clock_};
};

TEST_F(StoreHealthTest, KnowsNothingBeforeTheFirstLook) {
    const store_sight seen = health_.read();
    EXPECT_FALSE(seen.gate_answers);
    EXPECT_FALSE(seen.ledger_answers);
    EXPECT_FALSE(seen.built_once);
}

TEST_F(StoreHealthTest, WatchesPointsThatLiveElsewhere) {
    EXPECT_TRUE(health_.read().points_answer) << "there are none";
    points::account_book book(*points_db_);
    points::scripted_accounts far(book);
    store_health health(ports_, &far, clock_);
    EXPECT_FALSE(health.read().points_answer);
    health.look_at_points();
    clock_.advance(milliseconds(2999));
    EXPECT_TRUE(health.read().points_answer);
    far.before = [] { return true; };
    health.look_at_points();
    clock_.advance(milliseconds(1));
    EXPECT_FALSE(health.read().points_answer);
}

TEST_F(StoreHealthTest, BelievesAnAnswerForThreeSeconds) {
    ports_.gate_seen = gate_sight{};
    health_.look_at_gate();
    health_.look_at_ledger();
    clock_.advance(milliseconds(2999));
    EXPECT_TRUE(health_.read().gate_answers);
    EXPECT_TRUE(health_.read().ledger_answers);
    clock_.advance(milliseconds(1));
    EXPECT_FALSE(health_.read().gate_answers);
    EXPECT_FALSE(health_.read().ledger_answers);
    health_.look_at_ledger();
    EXPECT_TRUE(health_.read().ledger_answers) << "each by itself";
    EXPECT_FALSE(health_.read().gate_answers);
}

TEST_F(StoreHealthTest, AGateThatDoesNotAnswerKeepsWhatWasSeen) {
    ports_.gate_seen = gate_sight{.partitions = 8, .closed = 2, .full = 1};
    health_.look_at_gate();
    ports_.gate_seen.reset();
    clock_.advance(milliseconds(3000));
    health_.look_at_gate();
    const store_sight seen = health_.read();
    EXPECT_FALSE(seen.gate_answers);
    EXPECT_EQ(seen.gate.closed, 2U);
    EXPECT_EQ(seen.gate.full, 1U);
}

TEST_F(StoreHealthTest, ALedgerThatFailsIsNoAnswer) {
    verbs_.sql("ALTER TABLE journal_position RENAME TO away");
    health_.look_at_ledger();
    EXPECT_FALSE(health_.read().ledger_answers);
    verbs_.sql("ALTER TABLE away RENAME TO journal_position");
    health_.look_at_ledger();
    EXPECT_TRUE(health_.read().ledger_answers);
}

TEST_F(StoreHealthTest, IsBuiltOnceEveryPartitionWasOpenAtSomeMoment) {
    ports_.gate_seen = gate_sight{.partitions = 8, .closed = 1};
    health_.look_at_gate();
    EXPECT_FALSE(health_.read().built_once);
    ports_.gate_seen->closed = 0;
    health_.look_at_gate();
    EXPECT_TRUE(health_.read().built_once);
    ports_.gate_seen->closed = 3;
    health_.look_at_gate();
    EXPECT_TRUE(health_.read().built_once) << "a rebuild later on is another matter";
}

TEST_F(StoreHealthTest, TellsWhetherPromisesAreEntered) {
    EXPECT_TRUE(health_.read().ledger_enters);
    ports_.line.figures.failing_since = from_ms(5);
    EXPECT_FALSE(health_.read().ledger_enters);
}

}  // namespace
}  // namespace floodgate::engine
