// The reconciliation finds no breach in the normal activity of a sale.

#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "jobs/reconciler_fixture.hpp"

namespace floodgate::jobs {
namespace {

class ActivityTest : public ReconcilerTest {
protected:
    std::size_t any(std::size_t below) { return random_() % below; }

    // One random act of a sale, done completely.
    void something_happens() {
        switch (any(6)) {
        case 0:
        case 1: {
            const auto sale = any(2) ? first_ : second_;
            const auto no = buy(sale, static_cast<std::int64_t>(1 + any(40)),
                                static_cast<std::uint32_t>(1 + any(2)));
            if (no.value) waiting_.push_back(no);
            break;
        }
        case 2: enter_some(1 + any(3)); break;
        case 3:
            if (!open_.empty()) close(take_any(open_));
            break;
        case 4: {
            if (waiting_.empty()) break;
            letters_.push_back(waiting_.front());
            waiting_.erase(waiting_.begin());
            put_aside_next();
            break;
        }
        case 5: decide_a_letter(); break;
        }
    }
    void enter_some(std::size_t count) {
        enter(count);
        for (; count > 0 && !waiting_.empty(); --count) {
            open_.push_back(waiting_.front());
            waiting_.erase(waiting_.begin());
        }
    }
    void decide_a_letter() {
        if (letters_.empty()) return;
        const auto no = take_any(letters_);
        const auto id =
            verbs_.number("SELECT id FROM letters WHERE order_no = " + std::to_string(no.value));
        if (any(2)) {
            ASSERT_TRUE(book_.letters().replay(id, {1}, now_).has_value());
            open_.push_back(no);
        } else {
            ASSERT_TRUE(book_.letters().discard(id, {1}, "no", now_).has_value());
            release(no);
        }
    }
    sale::order_no take_any(std::vector<sale::order_no>& from) {
        const auto at = from.begin() + static_cast<std::ptrdiff_t>(any(from.size()));
        const auto no = *at;
        from.erase(at);
        return no;
    }

    std::mt19937 random_{20261115};
    sale::sale_id first_ = open_sale(30, 3), second_ = open_sale(10, 2);
    std::vector<sale::order_no> waiting_, open_, letters_;
};

TEST_F(ActivityTest, AddsUpAtEveryLookWhateverHappensDuringIt) {
    int happened = 0;
    const auto maybe = [&] {
        for (std::size_t n = any(4); n > 0; --n, ++happened) something_happens();
    };
    gate_.after_look = maybe;
    gate_.before_look = maybe;
    for (int i = 0; i < 400; ++i) {
        maybe();
        look();
        for (const auto& b : reconciliation_.latest().sales)
            ASSERT_EQ(b.off_by(), 0) << "sale " << b.sale.value << " at look " << i;
        ASSERT_FALSE(alarmed());
    }
    EXPECT_GT(happened, 1000);
    EXPECT_GT(verbs_.number("SELECT COUNT(*) FROM orders"), 100);

    gate_.after_look = gate_.before_look = {};
    enter_some(1'000'000);
    look();
    for (const auto& b : reconciliation_.latest().sales) {
        EXPECT_EQ(b.off_by(), 0);
        EXPECT_EQ(b.promised, b.letters) << "the line is entered: this is equality";
        EXPECT_EQ(b.free, b.stock - turnstile_.look_up(b.sale)->taken);
    }
    for (const auto id : {first_, second_})
        EXPECT_EQ(reconciliation_.explain(id).value(), ledger::findings{});
}

TEST_F(ActivityTest, UnitsOnTheirWayBackAreNoBreach) {
    for (std::int64_t b = 1; b <= 20; ++b) buy(first_, b);
    enter();
    look();
    for (std::size_t i = 0; i < 20; ++i) {  // the closer is one order behind at every look
        verbs_.close(line_.kept[i].order);
        if (i > 0) release(line_.kept[i - 1].order);
        look();
        ASSERT_FALSE(alarmed()) << i;
    }
    look(3);
    EXPECT_TRUE(alarmed()) << "the last one stays away";
}

TEST_F(ActivityTest, DraftsAndNewSalesAreLookedAtInTheBook) {
    const auto draft = verbs_.add_sale({7, 1});
    look(4);
    EXPECT_FALSE(alarmed());
    EXPECT_EQ(balance(draft).free, 7);
    EXPECT_EQ(balance(draft).off_by(), 0);
    EXPECT_EQ(reconciliation_.latest().at, now_);
}

TEST_F(ActivityTest, ABookThatCannotBeReadProvesNothing) {
    look();
    sql("ALTER TABLE letters RENAME TO mislaid");
    for (int i = 0; i < 5; ++i) EXPECT_FALSE(reconciler_.step(now_ += milliseconds(500)));
    EXPECT_FALSE(alarmed());
    EXPECT_EQ(reconciliation_.latest().at, now_ - milliseconds(2500));
    sql("ALTER TABLE mislaid RENAME TO letters");
    look();
    EXPECT_FALSE(alarmed());
}

// A line that may be read while it grows.
class shared_line final : public sale::promise_line, public sale::promise_source {
public:
    sale::sequence append(const sale::promise& p) override {
        const std::lock_guard lock(mutex_);
        kept_.push_back(p);
        return {kept_.size()};
    }
    void push() override {}
    sale::sequence durable() const override {
        const std::lock_guard lock(mutex_);
        return {kept_.size()};
    }
    std::uint64_t backlog() const override { return 0; }
    void on_durable(std::function<void()>) override {}
    result<void> read(sale::sequence after, std::size_t max,
                      std::vector<sale::promise>& out) override {
        const std::lock_guard lock(mutex_);
        out.clear();
        for (std::size_t i = after.value; i < kept_.size() && out.size() < max; ++i)
            out.push_back(kept_[i]);
        return {};
    }
    void entered(sale::sequence) override {}

private:
    mutable std::mutex mutex_;
    std::vector<sale::promise> kept_;
};

// Buyers, the clerk and the closer at once, while the reconciliation looks all the time.
TEST(ReconcilerThreads, FindNothingWhileEveryoneIsAtWork) {
    const ledger::scratch_directory directory;
    ledger::book_verbs verbs(ledger::databases().front().open(directory));
    ledger::ledger& book = verbs.book();
    shared_line line;
    gate::embedded_turnstile gate(line, {});
    shop::silent_node node;
    const wall_clock clock;  // work is in flight for as long as its thread does not get a core
    shop::catalogue_desk desk(book, gate, node, clock);
    const auto sale = verbs.add_sale({50, 1});
    ASSERT_TRUE(desk.warm_up(sale, {}).has_value());
    alarm::board board;
    shop::journal_in_flight between(book, line, [&] { return line.durable(); });
    shop::reconciliation_desk published({{book, gate, between}, desk, node, clock});
    reconciler looking({.orders = {book, gate, between},
                        .board = board,
                        .catalogue = desk,
                        .timed_book = book,
                        .desk = published,
                        .node = node});

    std::atomic<bool> over = false;
    std::thread buyers([&] {
        const auto lane = gate.open_lane([] {});
        std::vector<sale::verdict> out;
        for (std::int64_t b = 1; !over; ++b) {
            const sale::attempt a{.sale = sale, .buyer = {b}};
            lane->submit({&a, 1}, ledger::noon);
            lane->collect(out);
            out.clear();
        }
    });
    std::thread clerk([&] {
        std::vector<sale::promise> batch;
        sale::sequence entered;
        while (!over) {
            ASSERT_TRUE(line.read(entered, 10, batch).has_value());
            if (batch.empty()) continue;
            entered.value += batch.size();
            ASSERT_TRUE(book.orders().enter(batch, entered).has_value());
            for (const sale::promise& p : batch) {
                verbs.close(p.order);
                gate.release(p.sale, p.buyer, p.order);
            }
        }
    });
    for (int looks = 0; looks < 100 || gate.look_up(sale)->returned < 50; ++looks)
        ASSERT_TRUE(looking.step(clock.now()).has_value());
    over = true;
    buyers.join();
    clerk.join();
    EXPECT_EQ(book.catalogue().find_sale(sale)->state, sale::sale_state::published);
    EXPECT_EQ(board.raised(alarm::kind::invariant_breach), 0U);
}

}  // namespace
}  // namespace floodgate::jobs
