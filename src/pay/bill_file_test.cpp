#include "pay/bill_file.hpp"

#include <gtest/gtest.h>

#include "pay/beijing_time.hpp"
#include "pay/test_data.hpp"

namespace floodgate::pay {
namespace {

instant at(const char* text) { return parse_beijing_text(text).value(); }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t found = text.find(from);
    EXPECT_NE(found, std::string::npos) << from;
    return text.replace(found, from.size(), to);
}
std::string replaced_everywhere(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t i = 0; (i = text.find(from, i)) != std::string::npos; i += to.size())
        text.replace(i, from.size(), to);
    return text;
}
std::string without_line(std::string text, const std::string& part) {
    const std::size_t found = text.find(part);
    EXPECT_NE(found, std::string::npos) << part;
    const std::size_t begin = text.rfind('\n', found) + 1;
    return text.erase(begin, text.find('\n', found) + 1 - begin);
}

std::vector<bill_row> rows_of(const std::string& trade, std::size_t first_line) {
    return {{"FG700000000000000001",
             trade + "1",
             bill_kind::payment,
             "",
             {9900},
             at("2026-11-15 18:01:05"),
             first_line},
            {"FG700000000000000002",
             trade + "2",
             bill_kind::payment,
             "",
             {1},
             at("2026-11-15 18:01:06"),
             first_line + 1},
            {"FG700000000000000001",
             trade + "1",
             bill_kind::refund,
             "FG700000000000000001-R1",
             {4050},
             at("2026-11-15 19:00:00"),
             first_line + 2}};
}
const std::vector<bill_row>& alipay_rows() {
    static const auto rows = rows_of("202611152200140000000000000", 6);
    return rows;
}
const std::vector<bill_row>& wechat_rows() {
    static const auto rows = rows_of("420000000020261115000000000", 2);
    return rows;
}

std::string alipay_fault(const std::string& file, const bill_limits& limits = {}) {
    const bill read = read_alipay_bill(file, limits);
    EXPECT_TRUE(read.rows.empty() || read.fault.empty());
    return read.fault;
}
std::string wechat_fault(const std::string& file, const bill_limits& limits = {}) {
    const bill read = read_wechat_bill(file, limits);
    EXPECT_TRUE(read.rows.empty() || read.fault.empty());
    return read.fault;
}

TEST(AlipayBill, IsReadInUtf8AndGbk) {
    for (const char* name : {"alipay_bill.csv", "alipay_bill.gbk.csv"}) {
        const bill read = read_alipay_bill(test_data(name));
        EXPECT_EQ(read.fault, "") << name;
        EXPECT_EQ(read.rows, alipay_rows()) << name;
        EXPECT_TRUE(read.is_complete) << name;
    }
}

TEST(AlipayBill, MayHaveAMarkAndWindowsLineEnds) {
    const std::string windows = replaced_everywhere(test_data("alipay_bill.csv"), "\n", "\r\n");
    EXPECT_EQ(read_alipay_bill("\xEF\xBB\xBF" + windows).rows, alipay_rows());
    EXPECT_EQ(
        read_alipay_bill(replaced_everywhere(test_data("alipay_bill.gbk.csv"), "\n", "\r\n")).rows,
        alipay_rows());
}

TEST(AlipayBill, FindsItsColumnsByTheirTitles) {
    const bill read = read_alipay_bill(
        "完成时间,订单金额(元),业务类型,退款批次号/请求号,商户订单号,支付宝交易号\n"
        "2026-11-15 18:01:05,99,交易,,A,T\n");
    EXPECT_EQ(read.fault, "");
    EXPECT_EQ(read.rows,
              (std::vector<bill_row>{
                  {"A", "T", bill_kind::payment, "", {9900}, at("2026-11-15 18:01:05"), 2}}));
    EXPECT_FALSE(read.is_complete) << "the closing line is missing";
}

TEST(AlipayBill, MayHaveNoRows) {
    const std::string file = test_data("alipay_bill.csv");
    const std::size_t titles = file.find("支付宝交易号");
    const bill read = read_alipay_bill(file.substr(0, file.find('\n', titles) + 1));
    EXPECT_EQ(read.fault, "");
    EXPECT_TRUE(read.rows.empty());
}

TEST(AlipayBill, RefundsLoseTheirSign) {
    const std::string file = replaced(test_data("alipay_bill.csv"), "-40.50,-40.50", "40.50,40.50");
    EXPECT_EQ(read_alipay_bill(file).rows, alipay_rows());
}

TEST(AlipayBill, NamesTheLineThatIsWrong) {
    const std::string good = test_data("alipay_bill.csv");
    EXPECT_EQ(alipay_fault(replaced(good, "99.00,99.00", "9x.00,99.00")),
              "line 6: \"9x.00\" is not an amount");
    EXPECT_EQ(alipay_fault(replaced(good, "99.00,99.00", "-99.00,99.00")),
              "line 6: \"-99.00\" is not an amount");
    EXPECT_EQ(alipay_fault(replaced(good, "99.00,99.00", std::string(61, '9') + ",99.00")),
              "line 6: a long text is not an amount");
    EXPECT_EQ(read_alipay_bill(replaced(good, "99.00,99.00", "99.0x,99.00")).fault_line, 6U);
    EXPECT_EQ(alipay_fault(replaced(good, "2026-11-15 18:01:06", "2026-11-31 18:01:06")),
              "line 7: \"2026-11-31 18:01:06\" is not a time");
    EXPECT_EQ(alipay_fault(replaced(good, ",退款,", ",转账,")),
              "line 8: \"转账\" is not a known kind of business");
    EXPECT_EQ(alipay_fault(replaced(good, "\"水壶, 大 \"\"好\"\"\"", "水壶, 大")),
              "line 7: 26 fields, but 25 columns");
    EXPECT_EQ(alipay_fault(replaced(good, "好\"\"\"", "好\"\"")), "line 7: the quotes do not fit");
    EXPECT_EQ(alipay_fault(replaced(good, "2026111522001400000000000002\t", "")),
              "line 7: the channel's number of the trade is missing");
    EXPECT_EQ(alipay_fault(replaced(good, "FG700000000000000002", std::string(129, 'x'))),
              "line 7: the number of a trade is too long");
}

TEST(AlipayBill, KeepsWhatWasNotSoldThroughTheApi) {
    const bill read = read_alipay_bill(
        replaced(replaced(test_data("alipay_bill.csv"), "FG700000000000000002\t", ""),
                 "FG700000000000000001-R1\t", ""));
    ASSERT_EQ(read.fault, "");
    EXPECT_EQ(read.rows[1].out_trade_no, "");
    EXPECT_EQ(read.rows[2].refund_no, "");
}

TEST(AlipayBill, IsNotTakenForAnother) {
    EXPECT_EQ(alipay_fault(test_data("wechat_bill.csv")),
              "line 1: no column 支付宝交易号: is this the right kind of bill?");
    EXPECT_EQ(alipay_fault("#nothing\n"), "the file has no table: is this a bill?");
    EXPECT_EQ(alipay_fault(""), "the file has no table: is this a bill?");
    EXPECT_EQ(wechat_fault(test_data("alipay_bill.csv")),
              "line 1: no column 交易时间: is this the right kind of bill?");
    EXPECT_EQ(wechat_fault(""), "the file has no table: is this a bill?");
    EXPECT_EQ(alipay_fault(std::string("PK\x03\x04\xFF\xFF\0\0", 8)),
              "line 1: neither UTF-8 nor GBK");
}

TEST(AlipayBill, HasLimits) {
    const std::string file = test_data("alipay_bill.csv");
    EXPECT_EQ(alipay_fault(file, {.bytes_max = file.size(), .rows_max = 3}), "");
    EXPECT_EQ(alipay_fault(file, {.rows_max = 2}), "line 8: more than 2 rows");
    EXPECT_EQ(alipay_fault(file, {.bytes_max = 99}), "the file has more than 99 bytes");
    EXPECT_EQ(alipay_fault(file, {.line_bytes_max = 200}), "line 5: longer than 200 bytes");
}

TEST(WechatBill, IsRead) {
    const std::string file = test_data("wechat_bill.csv");
    const bill read = read_wechat_bill(file);
    EXPECT_EQ(read.fault, "");
    EXPECT_EQ(read.rows, wechat_rows());
    EXPECT_TRUE(read.is_complete);
    EXPECT_EQ(read_wechat_bill("\xEF\xBB\xBF" + replaced_everywhere(file, "\n", "\r\n")).rows,
              wechat_rows());
}

TEST(WechatBill, MayHaveTitlesWithBackTicks) {
    const std::string file = test_data("wechat_bill.csv");
    const std::size_t end = file.find('\n');
    const std::string titles = "`" + replaced_everywhere(file.substr(0, end), ",", ",`");
    const std::string sums = replaced(file.substr(end), "总交易单数,", "`总交易单数,`");
    EXPECT_EQ(read_wechat_bill(titles + sums).rows, wechat_rows());
    EXPECT_TRUE(read_wechat_bill(titles + sums).is_complete);
}

TEST(WechatBill, MayBeOlderOrOfPaymentsOnly) {
    const bill old = read_wechat_bill(
        "交易时间,微信订单号,商户订单号,交易状态,总金额,商户退款单号,退款金额\n"
        "`2026-11-15 18:01:05,`T,`A,`SUCCESS,`99.00,`0,`0.00\n"
        "`2026-11-15 18:01:06,`T,`A,`REFUND,`99.00,`R,`9.00\n");
    EXPECT_EQ(old.fault, "");
    ASSERT_EQ(old.rows.size(), 2U);
    EXPECT_EQ(old.rows[0].amount, sale::fen{9900});
    EXPECT_EQ(old.rows[0].refund_no, "");
    EXPECT_EQ(old.rows[1].amount, sale::fen{900});
    EXPECT_EQ(old.rows[1].refund_no, "R");
    EXPECT_FALSE(old.is_complete);

    const std::string payments = "交易时间,微信订单号,商户订单号,交易状态,订单金额\n";
    EXPECT_EQ(wechat_fault(payments + "`2026-11-15 18:01:05,`T,`A,`SUCCESS,`99.00\n"), "");
    EXPECT_EQ(wechat_fault(payments + "`2026-11-15 18:01:05,`T,`A,`REFUND,`99.00\n"),
              "line 2: the bill has no column 申请退款金额");
}

TEST(WechatBill, WithoutARowIsMissingAPart) {
    const std::string file = test_data("wechat_bill.csv");
    EXPECT_EQ(wechat_fault(without_line(file, "FG700000000000000002")),
              "line 5: the sum says \"3.0\" rows, but there are 2: parts are missing");
    const bill cut = read_wechat_bill(file.substr(0, file.find("总交易单数")));
    EXPECT_EQ(cut.fault, "");
    EXPECT_FALSE(cut.is_complete);
    EXPECT_EQ(wechat_fault(file + "`3,`1.00\n").substr(0, 14), "line 7: the su") << "two sums";
}

// More could not be summed up in 64 bits.
TEST(WechatBill, AnAmountHasALimit) {
    const std::string good = test_data("wechat_bill.csv");
    EXPECT_EQ(wechat_fault(replaced(good, "`99.00", "`10000000000.00")), "");
    EXPECT_EQ(wechat_fault(replaced(good, "`99.00", "`10000000000.01")),
              "line 2: \"10000000000.01\" is more than any payment");
}

TEST(WechatBill, ABillIsReadByItsChannel) {
    EXPECT_EQ(read_bill("alipay", test_data("alipay_bill.csv")).fault, "");
    EXPECT_EQ(read_bill("wechat", test_data("wechat_bill.csv")).fault, "");
    EXPECT_NE(read_bill("wechat", test_data("alipay_bill.csv")).fault, "");
    EXPECT_FALSE(has_bills("points"));
}

TEST(WechatBill, NamesTheLineThatIsWrong) {
    const std::string good = test_data("wechat_bill.csv");
    EXPECT_EQ(wechat_fault(replaced(good, "`99.00", "`99.001")),
              "line 2: \"99.001\" is not an amount");
    EXPECT_EQ(wechat_fault(replaced(good, "`40.50", "`")), "line 4: \"\" is not an amount");
    EXPECT_EQ(wechat_fault(replaced(good, "`2026-11-15 18:01:06", "`20261115180106")),
              "line 3: \"20261115180106\" is not a time");
    EXPECT_EQ(wechat_fault(replaced(good, "`SUCCESS", "`REVOKED")),
              "line 2: \"REVOKED\" is not a known state");
    EXPECT_EQ(wechat_fault(replaced(good, "`CNY", "`USD")), "line 2: the currency is not CNY");
    EXPECT_EQ(wechat_fault(replaced(good, "`OTHERS,", "")), "line 2: 26 fields, but 27 columns");
    EXPECT_EQ(wechat_fault(replaced(good, "`4200000000202611150000000002", "`")),
              "line 3: the channel's number of the trade is missing");
}

TEST(WechatBill, HasLimits) {
    const std::string file = test_data("wechat_bill.csv");
    EXPECT_EQ(wechat_fault(file, {.rows_max = 3}), "");
    EXPECT_EQ(wechat_fault(file, {.rows_max = 2}), "line 4: more than 2 rows");
}

TEST(BillKind, HasItsWord) {
    EXPECT_STREQ(to_text(bill_kind::payment), "payment");
    EXPECT_STREQ(to_text(bill_kind::refund), "refund");
}

}  // namespace
}  // namespace floodgate::pay
