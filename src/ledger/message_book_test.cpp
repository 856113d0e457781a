#include "ledger/message_book.hpp"

#include "ledger/ledger_fixture.hpp"

namespace floodgate::ledger {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class MessageContractTest : public LedgerContractTest {
protected:
    static channel_message forged(instant at = noon) {
        return {0, at, "alipay", "bad_signature", {}, "", "sign=x"};
    }
    std::size_t kept() { return book_.messages().list(0, 1000).value().size(); }
};
INSTANTIATE_TEST_SUITE_P(Over, MessageContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(MessageContractTest, ComeNewestFirstInPagesAndAsTheyWere) {
    for (std::uint64_t i = 1; i <= 3; ++i)
        ASSERT_TRUE(book_.messages()
                        .add({0,
                              noon + milliseconds(i),
                              "wechat",
                              "entered",
                              {i},
                              "4200-1_a",
                              std::string("\0\xff{\"x\"}", 7)},
                             true)
                        .value());
    const auto first = book_.messages().list(0, 2).value();
    ASSERT_THAT(first, SizeIs(2));
    EXPECT_EQ(first[0].at, noon + milliseconds(3));
    EXPECT_EQ(first[0].method, "wechat");
    EXPECT_EQ(first[0].verdict, "entered");
    EXPECT_EQ(first[0].order, sale::order_no{3});
    EXPECT_EQ(first[0].channel_no, "4200-1_a");
    EXPECT_EQ(first[0].raw, std::string("\0\xff{\"x\"}", 7));
    const auto rest = book_.messages().list(first[1].id, 10).value();
    ASSERT_THAT(rest, SizeIs(1));
    EXPECT_EQ(rest[0].order, sale::order_no{1});
    EXPECT_THAT(book_.messages().list(rest[0].id, 10).value(), IsEmpty());
}

TEST_P(MessageContractTest, WhatAStrangerSentIsCutAndItsNumberIsNotTrusted) {
    channel_message long_one = forged();
    long_one.raw = std::string(20'000, '\x80');
    long_one.channel_no = "\xff\x00';--";
    long_one.method = "a_method_that_is_too_long";
    long_one.verdict = std::string(100, 'v');
    ASSERT_TRUE(book_.messages().add(long_one, false).value());
    const channel_message kept = book_.messages().list(0, 1).value().at(0);
    EXPECT_EQ(kept.raw, std::string(message_book::raw_bytes_max, '\x80'));
    EXPECT_EQ(kept.channel_no, "");
    EXPECT_EQ(kept.verdict.size(), 40U);
}

TEST_P(MessageContractTest, AFloodIsCutOffEachMinuteButWhatMovesAnOrderIsKept) {
    constexpr std::size_t most = message_book::others_a_minute_max;
    const instant minute = from_ms(to_ms(noon) / 60'000 * 60'000);
    for (std::size_t i = 0; i < most; ++i)
        ASSERT_TRUE(book_.messages().add(forged(minute), false).value()) << i;
    EXPECT_FALSE(book_.messages().add(forged(minute + milliseconds(59'999)), false).value());
    EXPECT_EQ(kept(), most);
    EXPECT_TRUE(book_.messages().add(forged(minute), true).value());
    EXPECT_TRUE(book_.messages().add(forged(minute + milliseconds(60'000)), false).value());
    EXPECT_EQ(kept(), most + 2);
}

}  // namespace
}  // namespace floodgate::ledger
