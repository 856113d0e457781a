#include "gate/embedded_turnstile.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <thread>

namespace floodgate::gate {
namespace {

using sale::answer;

const instant opening = from_ms(1'800'000'000'000);

sale::sale open_sale(std::int64_t stock) {
    return {.id = {1},
            .stock = stock,
            .state = sale::sale_state::published,
            .starts_at = opening,
            .ends_at = opening + milliseconds(60'000)};
}

// A line whose disk is as slow as the test wants: durable() moves only in sync().
class line_in_memory final : public sale::promise_line {
public:
    sale::sequence append(const sale::promise& p) override {
        kept.push_back(p);
        return {kept.size()};
    }
    void push() override { ++pushes; }
    sale::sequence durable() const override { return {durable_.load()}; }
    std::uint64_t backlog() const override { return backlog_; }
    void on_durable(std::function<void()> told) override { told_ = std::move(told); }

    void sync() { sync_to(kept.size()); }
    void sync_to(std::size_t n) {
        durable_ = n;
        if (told_) told_();
    }

    std::vector<sale::promise> kept;
    std::atomic<int> pushes = 0;
    std::uint64_t backlog_ = 0;

private:
    std::atomic<std::uint64_t> durable_ = 0;
    std::function<void()> told_;
};

class EmbeddedTurnstileTest : public testing::Test {
protected:
    EmbeddedTurnstileTest() { EXPECT_TRUE(turnstile_.warm_up(open_sale(2)).has_value()); }

    void ask(std::int64_t buyer, std::uint64_t reply_to) {
        const sale::attempt a{.sale = {1}, .buyer = {buyer}, .reply_to = reply_to};
        lane_->submit({&a, 1}, opening);
    }
    std::map<std::uint64_t, answer> told() {
        std::vector<sale::verdict> out;
        lane_->collect(out);
        std::map<std::uint64_t, answer> by_reply_to;
        for (const auto& v : out) by_reply_to[v.reply_to] = v.what;
        return by_reply_to;
    }

    using expected = std::map<std::uint64_t, answer>;
    line_in_memory line_;
    embedded_turnstile turnstile_{line_, {.node = 0, .backlog_max = 100}};
    int woken_ = 0;
    std::unique_ptr<lane> lane_ = turnstile_.open_lane([this] { ++woken_; });
};

TEST_F(EmbeddedTurnstileTest, HoldsAPromiseBackUntilItIsDurable) {
    ask(1, 10);
    EXPECT_EQ(told(), expected{});
    line_.sync();
    EXPECT_EQ(woken_, 1);
    EXPECT_EQ(told(), (expected{{10, answer::accepted}}));
}

TEST_F(EmbeddedTurnstileTest, HoldsSoldOutBackUntilThePromisesItRestsOnAreDurable) {
    ask(1, 10);
    ask(2, 20);
    ask(3, 30);
    line_.sync_to(1);
    EXPECT_EQ(told(), (expected{{10, answer::accepted}}));
    line_.sync_to(2);
    EXPECT_EQ(told(), (expected{{20, answer::accepted}, {30, answer::sold_out}}));
}

TEST_F(EmbeddedTurnstileTest, HoldsAlreadyOrderedBackToo) {
    ask(1, 10);
    ask(1, 11);
    EXPECT_EQ(told(), expected{});
    line_.sync();
    EXPECT_EQ(told(), (expected{{10, answer::accepted}, {11, answer::already_ordered}}));
}

TEST_F(EmbeddedTurnstileTest, TellsRefusalsThatRestOnDurablePromisesAtOnce) {
    ask(1, 10);
    ask(2, 20);
    line_.sync();
    told();
    const int pushes = line_.pushes;
    ask(3, 30);
    EXPECT_EQ(told(), (expected{{30, answer::sold_out}}));
    EXPECT_EQ(line_.pushes, pushes) << "a refusal needs no disk";
}

TEST_F(EmbeddedTurnstileTest, IsBusyPastTheBacklog) {
    line_.backlog_ = 100;
    ask(1, 10);
    EXPECT_EQ(told(), (expected{{10, answer::busy}}));
    EXPECT_TRUE(line_.kept.empty());
    line_.backlog_ = 99;
    ask(1, 11);
    line_.sync();
    EXPECT_EQ(told(), (expected{{11, answer::accepted}}));
}

TEST_F(EmbeddedTurnstileTest, DoesNotWakeALaneThatWaitsForNothing) {
    ask(1, 10);
    line_.sync();
    told();
    line_.sync();
    EXPECT_EQ(woken_, 0) << "everything was collected without waiting";
}

TEST_F(EmbeddedTurnstileTest, TellsNobodyOfAPromiseThatACrashCouldTakeBack) {
    ask(1, 10);
    ask(2, 20);
    EXPECT_TRUE(turnstile_.promised_to({1}).empty());
    line_.sync_to(1);
    EXPECT_EQ(turnstile_.promised_to({1}).size(), 1U);
    EXPECT_TRUE(turnstile_.promised_to({2}).empty());
    line_.sync_to(2);
    EXPECT_EQ(turnstile_.promised_to({2}).size(), 1U);
}

TEST_F(EmbeddedTurnstileTest, CountsItsAnswers) {
    for (std::int64_t b = 1; b <= 5; ++b) ask(b, 0);
    const auto counts = turnstile_.read_counts();
    EXPECT_EQ(counts.by_answer[static_cast<std::size_t>(answer::accepted)], 2U);
    EXPECT_EQ(counts.by_answer[static_cast<std::size_t>(answer::sold_out)], 3U);
}

TEST_F(EmbeddedTurnstileTest, NamesWhatItHoldsAlsoWhatIsNotDurableYet) {
    ask(5, 10);
    const auto held = turnstile_.held_in({1});
    ASSERT_EQ(held.size(), 1U);
    EXPECT_EQ(held[0], (held_unit{{5}, line_.kept[0].order, 1}));
    EXPECT_TRUE(turnstile_.held_in({99}).empty());
}

TEST_F(EmbeddedTurnstileTest, TakesBackWhatWasLost) {
    ask(5, 10);
    const sale::promise p = line_.kept[0];
    turnstile_.release({1}, {5}, p.order);
    EXPECT_EQ(turnstile_.look_up({1})->taken, 0);
    EXPECT_TRUE(turnstile_.retake(p).has_value());
    EXPECT_TRUE(turnstile_.retake(p).has_value());
    EXPECT_EQ(turnstile_.look_up({1})->taken, 1);
    sale::promise other = p;
    other.sale = {99};
    EXPECT_EQ(turnstile_.retake(other).error(), make_error_code(errc::not_found));
    other = p;
    other.order = {p.order.value + 1};
    other.buyer = {6};
    other.quantity = 2;
    EXPECT_EQ(turnstile_.retake(other).error(), make_error_code(errc::conflict));
}

TEST_F(EmbeddedTurnstileTest, KnowsTheKeysOfClosedOrdersAfterARestart) {
    sale::promise closed{.order = {1ULL << 40U}, .sale = {1}, .buyer = {5}};
    closed.key[3] = std::byte{1};
    ASSERT_TRUE(turnstile_.forget(open_sale(10)).has_value());
    ASSERT_TRUE(turnstile_.load(open_sale(10), {}, {&closed, 1}).has_value());
    const sale::attempt a{.sale = {1}, .buyer = {5}, .key = closed.key, .reply_to = 10};
    lane_->submit({&a, 1}, opening);
    EXPECT_EQ(told(), (expected{{10, answer::repeated}}));
    EXPECT_EQ(turnstile_.look_up({1})->taken, 0);
}

TEST_F(EmbeddedTurnstileTest, HoldsAReusedKeyBackUntilTheOrderItWasUsedForIsDurable) {
    sale::sale other = open_sale(2);
    other.id = {2};
    ASSERT_TRUE(turnstile_.warm_up(other).has_value());
    sale::attempt a{.sale = {1}, .buyer = {5}, .reply_to = 10};
    a.key[0] = std::byte{1};
    lane_->submit({&a, 1}, opening);
    a.sale = {2};
    a.reply_to = 20;
    lane_->submit({&a, 1}, opening);
    EXPECT_EQ(told(), expected{});
    line_.sync();
    EXPECT_EQ(told(), (expected{{10, answer::accepted}, {20, answer::key_reused}}));
}

TEST_F(EmbeddedTurnstileTest, ForgetsTheKeysOfASaleWithTheSale) {
    constexpr int many = 2500;  // more than are forgotten at once
    sale::sale other = open_sale(many), large = open_sale(many);
    other.id = {2};
    ASSERT_TRUE(turnstile_.warm_up(other).has_value());
    ASSERT_TRUE(turnstile_.warm_up(large).has_value());
    std::vector<sale::attempt> attempts;
    for (int n = 1; n <= many; ++n) {
        sale::attempt a{.sale = {1}, .buyer = {n}};
        a.key[0] = static_cast<std::byte>(n % 256);
        a.key[1] = static_cast<std::byte>(n / 256);
        a.key[2] = std::byte{1};
        attempts.push_back(a);
    }
    lane_->submit(attempts, opening);
    ASSERT_EQ(line_.kept.size(), static_cast<std::size_t>(many));
    ASSERT_TRUE(turnstile_.forget(large).has_value());
    for (sale::attempt& a : attempts) a.sale = {2};
    lane_->submit(attempts, opening);
    EXPECT_EQ(line_.kept.size(), static_cast<std::size_t>(2 * many));
}

TEST(EmbeddedTurnstile, SellsExactlyTheStockToManyLanesAtOnce) {
    constexpr int threads = 4;
    constexpr std::int64_t buyers = 2000;
    constexpr std::int64_t stock = 500;
    line_in_memory line;
    embedded_turnstile turnstile(line, {});
    ASSERT_TRUE(turnstile.warm_up(open_sale(stock)).has_value());
    std::vector<std::thread> crowd;
    for (int t = 0; t < threads; ++t) {
        crowd.emplace_back([&] {  // every thread sends every buyer: doubled clicks everywhere
            const auto way = turnstile.open_lane([] {});
            for (std::int64_t b = 1; b <= buyers; ++b) {
                const sale::attempt a{.sale = {1}, .buyer = {b}};
                way->submit({&a, 1}, opening);
            }
        });
    }
    for (auto& t : crowd) t.join();
    EXPECT_EQ(line.kept.size(), static_cast<std::size_t>(stock));
    std::set<sale::user_id> who;
    std::set<sale::order_no> numbers;
    for (const auto& p : line.kept) {
        who.insert(p.buyer);
        numbers.insert(p.order);
    }
    EXPECT_EQ(who.size(), line.kept.size());
    EXPECT_EQ(numbers.size(), line.kept.size());
    EXPECT_EQ(turnstile.look_up({1})->taken, stock);
}

}  // namespace
}  // namespace floodgate::gate
