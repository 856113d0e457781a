#include "pay/test_channel.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace floodgate::pay {
namespace {

refund_request all_of(const sale::order& o) { return whole_refund(o, trade_number(o) + "R1"); }

sale::order order_number(std::uint64_t no) {
    sale::order o;
    o.no = {no};
    return o;
}
const sale::order first = order_number(1), second = order_number(2);

TEST(TestChannel, PaysThereAndThenAndStaysPaid) {
    test_channel c;
    EXPECT_TRUE(c.begin(first).value().paid);
    EXPECT_TRUE(c.begin(first).value().paid) << "the same trade once more";
    EXPECT_EQ(c.query(first), trade::paid);
    EXPECT_EQ(c.close(first), trade::paid) << "what is paid cannot be closed";
    EXPECT_EQ(c.query(second), trade::open) << "it could still be begun";
}

TEST(TestChannel, NobodyPaysWhatWasClosed) {
    test_channel c;
    EXPECT_EQ(c.close(first), trade::closed);
    EXPECT_EQ(c.close(first), trade::closed);
    EXPECT_EQ(c.query(first), trade::closed);
    EXPECT_EQ(c.begin(first).error(), errc::conflict);
}

TEST(TestChannel, GivesTheMoneyBackAndTakesItNoMore) {
    test_channel c;
    ASSERT_TRUE(c.begin(first));
    EXPECT_EQ(c.refund(first, all_of(first)), refund_answer::done);
    EXPECT_EQ(c.refund(first, all_of(first)), refund_answer::done);
    EXPECT_EQ(c.query(first), trade::closed);
    EXPECT_FALSE(c.begin(first));
}

TEST(TestChannel, ForgetsTheOldestBeyondItsLimit) {
    test_channel c(2);
    for (std::uint64_t no = 1; no <= 3; ++no) ASSERT_TRUE(c.begin(order_number(no)));
    EXPECT_EQ(c.query(order_number(1)), trade::open);
    EXPECT_EQ(c.query(order_number(2)), trade::paid);
    EXPECT_EQ(c.query(order_number(3)), trade::paid);
}

TEST(TestChannel, OfPayingAndClosingAtOnceOneWins) {
    test_channel c;
    for (std::uint64_t no = 1; no <= 500; ++no) {
        trade closed{};
        std::thread closing([&] { closed = c.close(order_number(no)); });
        const bool paid = c.begin(order_number(no)).has_value();
        closing.join();
        EXPECT_EQ(closed, paid ? trade::paid : trade::closed) << no;
    }
}

TEST(Channels, AreFoundByMethod) {
    channels all;
    EXPECT_EQ(all.find("test"), nullptr);
    all.add(std::make_unique<test_channel>());
    ASSERT_NE(all.find("test"), nullptr);
    EXPECT_EQ(all.find("test")->method(), "test");
    EXPECT_EQ(all.find("Test"), nullptr);
}

}  // namespace
}  // namespace floodgate::pay
