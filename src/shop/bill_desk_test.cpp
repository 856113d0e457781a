#include "shop/bill_desk.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <thread>

#include "shop/book_fixture.hpp"

namespace floodgate::shop {
namespace {

using testing::HasSubstr;

class BillDeskTest : public BookTest {
protected:
    static constexpr const char* bill_head =
        "支付宝交易号,商户订单号,业务类型,创建时间,完成时间,订单金额（元）,退款批次号/请求号\n";
    // One payment of an order that we do not have.
    static std::string bill(const char* business = "交易") {
        return fmt::format(
            "{}2026,4711,{},2026-11-16 10:00:00,2026-11-16 10:00:01,9.90,\n#明细列表结束\n",
            bill_head, business);
    }
    result<checked_bill> check(const std::string& file) {
        return desk_.check(file, {"alipay"}, {{7}, "192.0.2.0/24", ledger::noon});
    }
    std::vector<ledger::audit_line> audited() { return book_.audit().list(0, 10).value(); }

    bill_desk desk_{book_};
};

TEST_F(BillDeskTest, ACheckIsAudited) {
    const auto done = check(bill());
    EXPECT_EQ(done.value().fault, "");
    EXPECT_EQ(done->report.extra.count, 1U);
    ASSERT_EQ(audited().size(), 1U);
    const ledger::audit_line line = audited().front();
    EXPECT_EQ(line.who.value, 7);
    EXPECT_EQ(line.action, "bill.checked");
    EXPECT_EQ(line.subject, "alipay");
    EXPECT_EQ(line.address, "192.0.2.0/24");
    EXPECT_THAT(line.details, HasSubstr(R"("extra":1)"));
    EXPECT_THAT(line.details, HasSubstr(R"("from":"2026-11-15T16:00:00)"));
}

// Every count is another number, so that none can stand for another.
TEST_F(BillDeskTest, TheAuditHasEveryCount) {
    std::vector<std::string> ours;
    for (std::int64_t buyer = 1; buyer <= 9; ++buyer)
        ours.push_back(std::to_string(orders_.order_in("paid", sale_, buyer).order.value));
    verbs_.sql("UPDATE trades SET method = 'alipay'");
    std::string file = bill_head;
    const auto add = [&](const std::string& no, const char* kind, const std::string& yuan) {
        file +=
            fmt::format("2027,{},{},2027-01-15 16:00:00,2027-01-15 16:00:01,{},\n", no, kind, yuan);
    };
    for (std::size_t n = 0; n < 2; ++n) add(ours.at(n), "交易", "99.00");
    for (std::size_t n = 2; n < 4; ++n) add(ours.at(n), "交易", "0.01");
    for (const char* no : {"4711", "4712"}) add(no, "交易", "1.00");
    add("4713", "退款", "-1.00");
    testing::internal::CaptureStderr();
    ASSERT_TRUE(check(file).has_value());
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                HasSubstr("shop.acted who=7 action=bill.checked subject=alipay"));
    EXPECT_THAT(audited().at(0).details,
                HasSubstr(R"({"payments":6,"refunds":1,"complete":false,"missing":5,"extra":3,)"
                          R"("different":2,"from":"2027-01-14T16:00:00.000Z",)"
                          R"("until":"2027-01-15T16:00:00.000Z"})"));
}

TEST_F(BillDeskTest, AFileThatIsNoBillIsNamedByItsLine) {
    const auto done = check(bill("转账"));
    EXPECT_EQ(done.value().fault_line, 2U);
    EXPECT_THAT(done->fault, testing::StartsWith("line 2: "));
    EXPECT_EQ(check("").value().fault_line, 0U);
    EXPECT_TRUE(audited().empty());
}

TEST_F(BillDeskTest, ACheckWithoutItsAuditLineIsNotShown) {
    verbs_.sql("ALTER TABLE audit RENAME TO audit_elsewhere");
    EXPECT_FALSE(check(bill()).has_value());
}

TEST_F(BillDeskTest, ThereIsOneAtATime) {
    result<checked_bill> meanwhile = errc::invalid;
    how_->before = [&] {
        how_->before = nullptr;
        std::thread([&] { meanwhile = check(bill()); }).join();
    };
    EXPECT_TRUE(check(bill()).has_value());
    EXPECT_EQ(meanwhile.error(), errc::overloaded);
    EXPECT_TRUE(check(bill()).has_value()) << "the next one is taken";
}

}  // namespace
}  // namespace floodgate::shop
