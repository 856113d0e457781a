// The daily bill of a channel, as an admin posts it.

#include <fmt/format.h>

#include "api/handler_fixture.hpp"
#include "ledger/move_fixture.hpp"
#include "pay/yuan.hpp"
#include "sale/order_number.hpp"

namespace floodgate::api {
namespace {

class BillAdminTest : public HandlerTest {
protected:
    // An order that was paid by alipay at noon, which is 16:00 in Beijing.
    std::string paid_order(std::int64_t buyer) {
        const auto p = ledger::move_verbs(verbs_).order_in("paid", sale_, buyer);
        verbs_.sql("UPDATE trades SET method = 'alipay'");
        return sale::to_text(p.order);
    }
    std::string yuan_of(const std::string& no) {
        return pay::to_yuan(book_.orders().find(*sale::parse_order_no(no)).value().amount);
    }
    static std::string row(const std::string& no, const std::string& yuan) {
        return fmt::format("2027,{},交易,2027-01-15 16:00:00,2027-01-15 16:00:01,{},\n", no, yuan);
    }
    static std::string bill(const std::string& rows) {
        return "支付宝交易号,商户订单号,业务类型,创建时间,完成时间,订单金额（元）,"
               "退款批次号/请求号\n" +
               rows + "#明细列表结束\n";
    }
    answered check(const std::string& body, const char* query = "?channel=alipay") {
        return post(std::string("/admin/payments/bills") + query, body);
    }

    const sale::sale_id sale_ = verbs_.add_sale({.stock = 10});
};

TEST_F(BillAdminTest, ABillThatAgreesSaysWhatWasCompared) {
    const std::string a = paid_order(1), b = paid_order(2);
    const answered done = check(bill(row(a, yuan_of(a)) + row(b, yuan_of(b))));
    ASSERT_EQ(done.status, 200) << done.text;
    EXPECT_EQ(done.body.at("channel").as_string(), "alipay");
    EXPECT_TRUE(done.body.at("agrees").as_bool());
    EXPECT_TRUE(done.body.at("complete").as_bool());
    EXPECT_EQ(done.body.at("lines").as_int64(), 2);
    EXPECT_EQ(done.body.at("from").as_string(), "2027-01-14T16:00:00.000Z");
    EXPECT_EQ(done.body.at("until").as_string(), "2027-01-15T16:00:00.000Z");
    EXPECT_EQ(done.body.at("bill"), done.body.at("ledger"));
    EXPECT_EQ(done.body.at("bill").at("payments").as_int64(), 2);
    const answered audit = get("/admin/audit");
    EXPECT_EQ(audit.body.at("lines").at(0).at("action").as_string(), "bill.checked");
}

TEST_F(BillAdminTest, DifferencesAreListedByKind) {
    const std::string a = paid_order(1), b = paid_order(2);
    const answered done = check(bill(row(a, "0.01") + row("4711", "9.90")));
    EXPECT_FALSE(done.body.at("agrees").as_bool());
    const auto only = [&](const char* kind) -> const boost::json::value& {
        EXPECT_EQ(done.body.at(kind).at("count").as_int64(), 1) << kind;
        return done.body.at(kind).at("named").at(0);
    };
    EXPECT_EQ(only("missing").at("order_no").as_string(), b);
    EXPECT_FALSE(only("missing").as_object().contains("line"));
    EXPECT_EQ(only("extra").at("order_no").as_string(), "4711");
    EXPECT_EQ(only("extra").at("line").as_int64(), 3);
    EXPECT_EQ(only("extra").at("paid_fen").as_int64(), 990);
    EXPECT_EQ(only("different").at("order_no").as_string(), a);
    EXPECT_EQ(only("different").at("paid_fen").as_int64(), 1);
}

TEST_F(BillAdminTest, AThousandOfEachKindAreNamed) {
    std::string rows;
    for (int n = 1; n <= 1001; ++n) rows += row(fmt::format("shop-{}", n), "1.00");
    const answered done = check(bill(rows));
    EXPECT_EQ(done.body.at("extra").at("count").as_int64(), 1001);
    EXPECT_EQ(done.body.at("extra").at("named").as_array().size(), 1000U);
}

TEST_F(BillAdminTest, ABillWithoutRowsIsNotCompared) {
    const answered done = check(bill(""));
    EXPECT_EQ(done.status, 200);
    EXPECT_FALSE(done.body.as_object().contains("from"));
    EXPECT_EQ(done.body.at("lines").as_int64(), 0);
}

TEST_F(BillAdminTest, AFileThatCannotBeReadIsNamedByItsLine) {
    const answered bad = check(bill(row("4711", "much")));
    EXPECT_EQ(bad.status, 422);
    EXPECT_EQ(bad.code(), "invalid");
    EXPECT_EQ(bad.body.at("line").as_int64(), 2);
    EXPECT_EQ(bad.detail(), "line 2: \"much\" is not an amount");
    const answered other = check("\n\n");
    EXPECT_EQ(other.status, 422);
    EXPECT_EQ(other.detail(), "the file has no table: is this a bill?");
    EXPECT_FALSE(other.body.as_object().contains("line"));
    EXPECT_EQ(check(bill(row("4711", "1.00")), "?channel=wechat").status, 422);
}

TEST_F(BillAdminTest, WhoseBillItIsMustBeSaid) {
    for (const char* query : {"", "?channel=", "?channel=points"}) {
        const answered refused = check(bill(""), query);
        EXPECT_EQ(refused.status, 400) << query;
        EXPECT_EQ(refused.body.at("field").as_string(), "channel");
    }
    EXPECT_EQ(check("").status, 400) << "without a file";
}

TEST_F(BillAdminTest, ALedgerThatFailsIsBusy) {
    break_ledger();
    EXPECT_EQ(check(bill(row("4711", "1.00"))).status, 503);
}

}  // namespace
}  // namespace floodgate::api
