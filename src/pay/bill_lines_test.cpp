#include "pay/bill_lines.hpp"

#include <gtest/gtest.h>

namespace floodgate::pay {
namespace {

using strings = std::vector<std::string>;

strings lines_of(std::string_view text, std::size_t line_bytes_max = 100) {
    bill_lines lines(text, line_bytes_max);
    strings all;
    while (auto line = lines.next()) {
        all.push_back(std::move(*line));
        EXPECT_EQ(lines.number(), all.size());
    }
    if (!lines.fault().empty()) all.push_back("fault: " + lines.fault());
    return all;
}

TEST(BillLines, EndInAnyWay) {
    EXPECT_EQ(lines_of(""), strings{});
    EXPECT_EQ(lines_of("a"), strings{"a"});
    EXPECT_EQ(lines_of("a\nb\n"), (strings{"a", "b"}));
    EXPECT_EQ(lines_of("a\r\n\r\nb\r\n"), (strings{"a", "", "b"}));
    EXPECT_EQ(lines_of("\n\n"), (strings{"", ""}));
}

TEST(BillLines, AreUtf8WithOrWithoutAMark) {
    EXPECT_EQ(lines_of("\xEF\xBB\xBF交易\n退款"), (strings{"交易", "退款"}));
    EXPECT_EQ(lines_of("交易\n"), strings{"交易"});
}

TEST(BillLines, AreReadAsGbkOtherwise) {
    EXPECT_EQ(lines_of("a\xBD\xBB\xD2\xD7"
                       "b\r\n\xCD\xCB\xBF\xEE"),
              (strings{"a交易b", "退款"}));
    EXPECT_EQ(lines_of("\x81\x60,`\xBD\xBB"), strings{"乣,`交"})
        << "its second byte is a back-tick";
    const strings all = lines_of("plain\n" + std::string(50, '\xBD'));
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[1].size(), 75U) << "three bytes for two";
}

TEST(BillLines, OfNoEncodingAreNamed) {
    EXPECT_EQ(lines_of("a\n\xBD\xBB\n\xBD\n"),
              (strings{"a", "交", "fault: line 3: neither UTF-8 nor GBK"}));
    EXPECT_EQ(lines_of("\xFF\xFF"), strings{"fault: line 1: neither UTF-8 nor GBK"});
}

TEST(BillLines, HaveALimit) {
    EXPECT_EQ(lines_of("1234\n1234", 4), (strings{"1234", "1234"}));
    EXPECT_EQ(lines_of("1234\r\n12345\n1", 4),
              (strings{"1234", "fault: line 2: longer than 4 bytes"}));
}

TEST(BillFields, AreSplitAtCommas) {
    EXPECT_EQ(split_at_commas(""), strings{""});
    EXPECT_EQ(split_at_commas("a,b,"), (strings{"a", "b", ""}));
    EXPECT_EQ(split_at_commas("a\t, b c ,\t"), (strings{"a", "b c", ""}));
    EXPECT_EQ(split_at_commas(R"("a,b","c ""d""", "" ,x"y)"),
              (strings{"a,b", "c \"d\"", "", "x\"y"}));
    EXPECT_EQ(split_at_commas("\"20261115\t\"\t,b"), (strings{"20261115", "b"}));
    for (const char* bad : {"\"", "\"a", "\"a\"b,c", "a,\"b", R"("a"")"})
        EXPECT_FALSE(split_at_commas(bad)) << bad;
}

TEST(BillFields, AreSplitAtBackTicks) {
    EXPECT_EQ(split_at_ticks("`a,`b, c,`,` d "), (strings{"a", "b, c", "", "d"}));
    EXPECT_EQ(split_at_ticks("`a`b"), strings{"a`b"});
    EXPECT_EQ(split_at_ticks("`"), strings{""});
    EXPECT_EQ(split_at_ticks("a,`b"), (strings{"a", "b"}));
}

}  // namespace
}  // namespace floodgate::pay
