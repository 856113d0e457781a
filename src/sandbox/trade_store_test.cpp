#include "sandbox/trade_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "store/sql/sqlite_database.hpp"

namespace floodgate::sandbox {
namespace {

using namespace std::chrono_literals;

const instant noon = from_ms(1'800'000'000'000);

class TradeStoreTest : public testing::Test {
protected:
    TradeStoreTest() {
        std::string pattern = std::filesystem::temp_directory_path() / "floodgate-sandbox-XXXXXX";
        if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no directory");
        directory_ = pattern;
        open();
    }
    ~TradeStoreTest() override {
        kept.reset();
        db_.reset();
        std::filesystem::remove_all(directory_);
    }
    void open(std::size_t most = trades_max) {
        kept.reset();
        db_.reset();
        db_ = store::open_sqlite({.path = directory_ / "trades.db", .readers_max = 1});
        kept.emplace(*db_, most);
    }
    static trade a_trade(const std::string& out_trade_no, instant created_at = noon) {
        return {.channel = channel::wechat,
                .out_trade_no = out_trade_no,
                .number = "4200" + out_trade_no,
                .code = "code-" + out_trade_no,
                .amount = {9900},
                .subject = "水壶",
                .state = trade_state::waiting,
                .created_at = created_at,
                .expires_at = created_at + 15min,
                .closes_at = created_at + 1h};
    }

    std::optional<trade_store> kept;

private:
    std::filesystem::path directory_;
    std::unique_ptr<store::database> db_;
};

TEST_F(TradeStoreTest, ATradeIsFoundByItsNumbersAndItsCode) {
    kept->keep(a_trade("order-1"));
    for (const trade* found :
         {kept->find(channel::wechat, "order-1"), kept->find_number(channel::wechat, "4200order-1"),
          kept->find_code("code-order-1")}) {
        ASSERT_NE(found, nullptr);
        EXPECT_EQ(found->subject, "水壶");
    }
    EXPECT_EQ(kept->find(channel::alipay, "order-1"), nullptr);
    EXPECT_EQ(kept->find_number(channel::alipay, "4200order-1"), nullptr);
    EXPECT_EQ(kept->find_code(""), nullptr);
}

TEST_F(TradeStoreTest, ARestartKeepsEverything) {
    trade t = a_trade("order-1");
    t.body = "b";
    t.passback = "p";
    t.fingerprint = "f";
    t.notify_url = "http://127.0.0.1/n";
    t.return_url = "http://127.0.0.1/r";
    t.payer = "buyer";
    t.state = trade_state::paid;
    t.code_expires_at = noon + 2h;
    t.paid_at = noon + 1min;
    for (const char* no : {"R1", "R2"})
        t.refunds.push_back({.request_no = no,
                             .number = "50",
                             .amount = {100},
                             .reason = "why",
                             .notify_url = "http://127.0.0.1/m",
                             .asked_at = noon + 2min,
                             .settles_at = noon + 3min,
                             .result = refund_result::abnormal});
    kept->keep(t);
    kept->keep(t);  // a change of it: the refunds are not there twice
    open();
    const trade* found = kept->find(channel::wechat, "order-1");
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->amount, sale::fen{9900});
    EXPECT_EQ(found->body + found->passback + found->fingerprint + found->payer, "bpfbuyer");
    EXPECT_EQ(found->notify_url + found->return_url, t.notify_url + t.return_url);
    EXPECT_EQ(found->state, trade_state::paid);
    EXPECT_EQ(found->paid_at, noon + 1min);
    EXPECT_EQ(found->closed_at, std::nullopt);
    EXPECT_EQ(found->code_expires_at, noon + 2h);
    EXPECT_EQ(found->closes_at, t.closes_at);
    ASSERT_EQ(found->refunds.size(), 2U);
    EXPECT_EQ(found->refunds[1].request_no, "R2");
    EXPECT_EQ(found->refunds[1].settles_at, noon + 3min);
    EXPECT_EQ(found->refunds[1].result, refund_result::abnormal);
    EXPECT_EQ(kept->find_wechat_refund("R2"), found);
}

TEST_F(TradeStoreTest, AnOldCodeLeadsNowhere) {
    trade t = a_trade("order-1");
    kept->keep(t);
    t.code = "another";
    kept->keep(t);
    EXPECT_EQ(kept->find_code("code-order-1"), nullptr);
    EXPECT_NE(kept->find_code("another"), nullptr);
}

TEST_F(TradeStoreTest, OnlyWaitingTradesAreOverdue) {
    kept->keep(a_trade("late", noon + 1min));
    kept->keep(a_trade("early"));
    trade paid = a_trade("paid");
    kept->keep(paid);
    paid.state = trade_state::paid;
    kept->keep(paid);
    EXPECT_EQ(kept->next_deadline(), noon + 1h);
    EXPECT_TRUE(kept->overdue(noon + 1h - 1ms, 10).empty());
    ASSERT_EQ(kept->overdue(noon + 2h, 10).size(), 2U);
    ASSERT_EQ(kept->overdue(noon + 2h, 1).size(), 1U);
    EXPECT_EQ(kept->overdue(noon + 2h, 1)[0].out_trade_no, "early");
}

TEST_F(TradeStoreTest, TheOldestTradeIsForgottenAtTheLimit) {
    open(2);
    for (int i = 0; i < 3; ++i) kept->keep(a_trade("order-" + std::to_string(i), noon + i * 1s));
    for (int start = 0; start < 2; ++start) {
        EXPECT_EQ(kept->size(), 2U);
        EXPECT_EQ(kept->find(channel::wechat, "order-0"), nullptr);
        ASSERT_EQ(kept->newest_first(10).size(), 2U);
        EXPECT_EQ(kept->newest_first(10)[0]->out_trade_no, "order-2");
        open(2);
    }
}

}  // namespace
}  // namespace floodgate::sandbox
