// Every state of both channels meets every event, in a table a person can read.

#include "sandbox/trade.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

namespace floodgate::sandbox {
namespace {

// Rows "state event next"; every pair that is not there is refused.
void expect_moves(channel c, const std::string& table) {
    std::map<std::pair<std::string, std::string>, std::string> allowed;
    std::istringstream rows(table);
    std::string from, event, next;
    while (rows >> from >> event >> next) allowed[{from, event}] = next;
    for (const trade_state s : all_states) {
        for (const trade_event e : all_events) {
            const auto got = advance(c, s, e);
            const auto row = allowed.find({to_text(s), to_text(e)});
            const std::string expected = row == allowed.end() ? "refused" : row->second;
            EXPECT_EQ(got ? to_text(*got) : "refused", expected)
                << to_text(c) << ": " << to_text(s) << " + " << to_text(e);
            if (row != allowed.end()) allowed.erase(row);
        }
    }
    EXPECT_TRUE(allowed.empty()) << "the table names a state or event that does not exist";
}

TEST(Trade, EveryAlipayStateMeetsEveryEvent) {
    expect_moves(channel::alipay, R"(
        asked    open         waiting
        waiting  open         waiting
        waiting  pay          paid
        waiting  pay_late     paid
        waiting  decline      waiting
        waiting  close        closed
        waiting  expire       closed
        closed   pay_late     paid
        paid     refund_part  paid
        paid     refund_rest  refunded
        paid     finish       finished
    )");
}

TEST(Trade, EveryWechatStateMeetsEveryEvent) {
    expect_moves(channel::wechat, R"(
        waiting  pay          paid
        waiting  pay_late     paid
        waiting  decline      waiting
        waiting  close        closed
        waiting  expire       closed
        closed   pay_late     paid
        paid     refund_part  paid
        paid     refund_rest  refunded
    )");
}

TEST(Trade, WordsAreReadAsTheyAreWritten) {
    for (const trade_state s : all_states) EXPECT_EQ(parse_state(to_text(s)), s);
    for (const channel c : {channel::alipay, channel::wechat})
        EXPECT_EQ(parse_channel(to_text(c)), c);
    for (const auto r : {refund_result::success, refund_result::closed, refund_result::abnormal})
        EXPECT_EQ(parse_refund_result(to_text(r)), r);
    EXPECT_EQ(parse_state("open"), std::nullopt);
}

TEST(Trade, AlipaySaysClosedForUnpaidAndForFullyRefundedTrades) {
    std::map<trade_state, std::string> words;
    for (const trade_state s : all_states) words[s] = channel_word({.state = s});
    EXPECT_THAT(words,
                testing::ElementsAre(testing::Pair(trade_state::asked, ""),
                                     testing::Pair(trade_state::waiting, "WAIT_BUYER_PAY"),
                                     testing::Pair(trade_state::paid, "TRADE_SUCCESS"),
                                     testing::Pair(trade_state::closed, "TRADE_CLOSED"),
                                     testing::Pair(trade_state::refunded, "TRADE_CLOSED"),
                                     testing::Pair(trade_state::finished, "TRADE_FINISHED")));
}

TEST(Trade, WechatSaysRefundFromTheFirstRefundOn) {
    trade t{.channel = channel::wechat, .amount = {100}, .state = trade_state::waiting};
    EXPECT_EQ(channel_word(t), "NOTPAY");
    t.state = trade_state::closed;
    EXPECT_EQ(channel_word(t), "CLOSED");
    t.state = trade_state::paid;
    EXPECT_EQ(channel_word(t), "SUCCESS");
    t.refunds.push_back({.request_no = "R1", .amount = {1}});
    EXPECT_EQ(channel_word(t), "REFUND");
}

TEST(Trade, AClosedRefundGivesNothingBack) {
    trade t{.channel = channel::wechat, .amount = {100}, .state = trade_state::paid};
    t.refunds.push_back({.request_no = "R1", .amount = {40}, .result = refund_result::closed});
    t.refunds.push_back({.request_no = "R2", .amount = {30}, .result = refund_result::abnormal});
    EXPECT_EQ(t.refunded(), sale::fen{30});
    ASSERT_NE(t.find_refund("R2"), nullptr);
    EXPECT_EQ(t.find_refund("R3"), nullptr);
}

}  // namespace
}  // namespace floodgate::sandbox
