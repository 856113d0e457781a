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
    static std::string row(const std::string& no, const std::string& yuan,
                           const char* kind = "交易") {
        return fmt::format("2027,{},{},2027-01-15 16:00:00,2027-01-15 16:00:01,{},\n", no, kind,
                           yuan);
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

TEST_F(BillAdminTest, TheSumsAreThoseOfTheBillAndOfTheLedger) {
    const std::string a = paid_order(1);
    const auto part = ledger::move_verbs(verbs_).order_in("part", sale_, 2);  // ¥1.00 went back
    verbs_.sql("UPDATE trades SET method = 'alipay'");
    verbs_.sql("UPDATE refunds SET method = 'alipay'");
    const std::string b = sale::to_text(part.order);
    const std::int64_t ours = 2 * book_.orders().find(part.order).value().amount.value;
    const answered done = check(bill(row(a, yuan_of(a)) + row(b, yuan_of(b)) +
                                     row(b, "-3.00", "退款") + row("4711", "9.90")));
    ASSERT_EQ(done.status, 200) << done.text;
    EXPECT_EQ(done.body.at("lines").as_int64(), 4);
    const auto expect_sums = [&](const char* whose, const boost::json::object& sums) {
        EXPECT_EQ(done.body.at(whose), boost::json::value(sums)) << whose;
    };
    expect_sums("bill",
                {{"payments", 3}, {"paid_fen", ours + 990}, {"refunds", 1}, {"refunded_fen", 300}});
    expect_sums("ledger",
                {{"payments", 2}, {"paid_fen", ours}, {"refunds", 1}, {"refunded_fen", 100}});
    const boost::json::value& different = done.body.at("different").at("named").at(0);
    EXPECT_EQ(different.at("order_no").as_string(), b);
    EXPECT_EQ(different.at("paid_fen").as_int64(), ours / 2);
    EXPECT_EQ(different.at("refunded_fen").as_int64(), 300);
    EXPECT_EQ(different.at("detail").as_string(), "the bill says ¥3.00 refunded, the ledger ¥1.00");
}

TEST_F(BillAdminTest, ABillThatIsCutOffAgreesWithNothing) {
    const std::string a = paid_order(1), whole = bill(row(a, yuan_of(a)));
    const answered done = check(whole.substr(0, whole.find('#')));
    ASSERT_EQ(done.status, 200) << done.text;
    EXPECT_FALSE(done.body.at("complete").as_bool());
    EXPECT_FALSE(done.body.at("agrees").as_bool());
    for (const char* kind : {"missing", "extra", "different"})
        EXPECT_EQ(done.body.at(kind).at("count").as_int64(), 0) << kind;
}

TEST_F(BillAdminTest, TheAuditNamesWhoCheckedItAndFromWhere) {
    who_ = {{5}, sale::role::admin};
    ASSERT_EQ(check(bill("")).status, 200);
    const boost::json::value line = get("/admin/audit").body.at("lines").at(0);
    EXPECT_EQ(line.at("who").as_int64(), 5);
    EXPECT_EQ(line.at("address").as_string(), "192.0.2.1");
    EXPECT_EQ(line.at("subject").as_string(), "alipay");
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
