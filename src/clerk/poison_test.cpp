// A promise that the ledger refuses must not hold up the others.

#include <gtest/gtest.h>

#include "clerk/desk.hpp"
#include "clerk/stand_ins.hpp"

namespace floodgate::clerk {
namespace {

using namespace std::chrono_literals;
using testing::Test;

struct PoisonTest : Test {
    memory_source source;
    memory_sink sink;
    memory_gate gate;
    manual_clock clock{noon};
    std::vector<std::uint64_t> told;
    telling_node node{[this](std::span<const sale::order_news> all) {
        for (const sale::order_news& n : all) told.push_back(n.what.no.value);
    }};
    desk work{{source, sink, gate, clock, node}, {.batch_max = 1000, .retries = {{10s, 30s}}}, {0}};

    static auto only(std::uint64_t poison) {
        return [poison](const sale::promise& p) { return p.order.value == poison; };
    }
    // Takes steps until all is done, and gives the number of steps that failed.
    int work_off(int steps_max = 10'000) {
        int failed = 0;
        for (int i = 0; i < steps_max; ++i) {
            const outcome o = work.step();
            if (o == outcome::nothing) return failed;
            failed += o == outcome::failed ? 1 : 0;
        }
        ADD_FAILURE() << "it never ends";
        return failed;
    }
    void expect_all_but(std::uint64_t count, const std::vector<std::uint64_t>& aside) {
        std::vector<std::uint64_t> expected;
        for (std::uint64_t no = 1001; no <= 1000 + count; ++no)
            if (std::ranges::count(aside, no) == 0) expected.push_back(no);
        std::vector<std::uint64_t> entered, put_aside;
        for (const sale::order_no no : sink.orders) entered.push_back(no.value);
        for (const auto& l : sink.letters) put_aside.push_back(l.promise.order.value);
        EXPECT_EQ(entered, expected) << "each of them once, in order";
        EXPECT_EQ(put_aside, aside);
        EXPECT_EQ(told, expected) << "of what was put aside there is nothing to tell";
        EXPECT_EQ(work.position().value, count);
        EXPECT_EQ(source.forgotten, count);
        EXPECT_EQ(work.read_figures().put_aside, aside.size());
        EXPECT_EQ(work.read_figures().failing_since, never);
        EXPECT_TRUE(gate.released.empty()) << "its unit stays held";
    }
};

TEST_F(PoisonTest, OneAmongAThousandIsPutAsideAsDeadAndTheRestPass) {
    sink.rejects = only(1357);
    source.append(1000);
    EXPECT_EQ(work_off(), 0);
    expect_all_but(1000, {1357});
    EXPECT_TRUE(sink.letters[0].why.permanent);
    EXPECT_EQ(sink.letters[0].why.cause, "rejected by the store");
    EXPECT_EQ(sink.letters[0].why.now, noon);
    EXPECT_LT(sink.batches.size(), 25U) << "halves, not one by one";
}

TEST_F(PoisonTest, AtEveryPlaceInAShortLine) {
    for (std::uint64_t size = 1; size <= 9; ++size)
        for (std::uint64_t at = 1; at <= size; ++at) {
            memory_source line;
            memory_sink book;
            book.rejects = only(1000 + at);
            line.append(size);
            desk d({line, book, gate, clock, node}, {.batch_max = 4}, {0});
            for (int i = 0; i < 100 && d.step() != outcome::nothing;) ++i;
            EXPECT_EQ(book.count(), size - 1) << at << " of " << size;
            EXPECT_EQ(book.letters.size(), 1U);
            EXPECT_EQ(d.position().value, size);
        }
}

TEST_F(PoisonTest, EveryoneOfThemPoison) {
    sink.rejects = [](const sale::promise&) { return true; };
    source.append(5);
    work_off();
    expect_all_but(5, {1001, 1002, 1003, 1004, 1005});
}

TEST_F(PoisonTest, WhatJamsTheLedgerIsFoundWhenTheLedgerIsWellOtherwise) {
    sink.jams = only(1500);
    source.append(1000);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(work.step(), outcome::failed);
    EXPECT_EQ(sink.batches, (std::vector<std::size_t>{1000, 1000})) << "not yet suspected";
    EXPECT_LT(work_off(), 10);
    expect_all_but(1000, {1500});
    EXPECT_FALSE(sink.letters[0].why.permanent) << "it may pass by itself";
    EXPECT_EQ(sink.letters[0].why.next_try, noon + 10s);
    EXPECT_EQ(sink.letters[0].why.cause, "store unavailable");
}

TEST_F(PoisonTest, ALedgerThatIsAwayIsWaitedForHoweverLong) {
    sink.away = true;
    source.append(1000);
    for (int i = 0; i < 50; ++i) EXPECT_EQ(work.step(), outcome::failed);
    EXPECT_EQ(std::ranges::count(sink.batches, 1000U), 50) << "never split";
    sink.away = false;
    work_off();
    expect_all_but(1000, {});
}

TEST_F(PoisonTest, ASinglePromiseIsNotPutAsideForAPassingLock) {
    source.append(1);
    sink.failures_left = 10;  // probe() finds the ledger well only after the last of them
    EXPECT_EQ(work_off(), 10);
    expect_all_but(1, {});
}

TEST_F(PoisonTest, WhenTheLettersFailTooNothingIsSkipped) {
    sink.rejects = only(1002);
    source.append(3);
    sink.meanwhile = [&] { sink.away = sink.orders.size() == 1 && sink.batches.size() < 10; };
    work_off();
    sink.meanwhile = nullptr;
    expect_all_but(3, {1002});
}

TEST_F(PoisonTest, AfterARestartInTheMiddleItGoesOnWhereTheLedgerStands) {
    sink.rejects = only(1500);
    source.append(1000);
    for (int i = 0; i < 5; ++i) work.step();
    ASSERT_GT(sink.position, 0U);
    ASSERT_LT(sink.position, 1000U);
    desk after({source, sink, gate, clock, node}, {.batch_max = 1000}, {sink.position});
    for (int i = 0; i < 100 && after.step() != outcome::nothing;) ++i;
    EXPECT_EQ(sink.count(), 999U);
    EXPECT_EQ(sink.letters.size(), 1U);
}

}  // namespace
}  // namespace floodgate::clerk
