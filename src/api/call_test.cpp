#include "api/call.hpp"

#include <gtest/gtest.h>

#include "api/query.hpp"

namespace floodgate::api {
namespace {

call with(std::string query) {
    call c;
    c.query = std::move(query);
    return c;
}

TEST(Query, FindsTheFirstValueOfAName) {
    const call c = with("a=1&b=two&a=3&flag&empty=&x=y=z");
    EXPECT_EQ(query_value(c, "a"), "1");
    EXPECT_EQ(query_value(c, "b"), "two");
    EXPECT_EQ(query_value(c, "flag"), "");
    EXPECT_EQ(query_value(c, "empty"), "");
    EXPECT_EQ(query_value(c, "x"), "y=z");
    EXPECT_EQ(query_value(c, "c"), std::nullopt);
    EXPECT_EQ(query_value(with(""), "a"), std::nullopt);
    EXPECT_EQ(query_value(with("&&=&"), "a"), std::nullopt);
}

TEST(Query, DecodesPercentAndPlus) {
    EXPECT_EQ(query_value(with("q=a%20b+c%E9%9B%AA"), "q"), "a b c雪");
    EXPECT_EQ(query_value(with("%71=1"), "q"), "1");
    EXPECT_EQ(query_value(with("q=%26%3D"), "q"), "&=");
}

TEST(Query, LeavesABrokenPercentAsItIs) {
    EXPECT_EQ(query_value(with("q=%"), "q"), "%");
    EXPECT_EQ(query_value(with("q=%2"), "q"), "%2");
    EXPECT_EQ(query_value(with("q=%zz1"), "q"), "%zz1");
}

TEST(Query, TakesWholeNumbersWithinBoundsOnly) {
    const bounds allowed{1, 100};
    EXPECT_EQ(query_number(with(""), "limit", allowed, 20), 20);
    EXPECT_EQ(query_number(with("limit=7"), "limit", allowed, 20), 7);
    for (const char* query : {"limit=", "limit=0", "limit=101", "limit=1.5", "limit=+7",
                              "limit=7%20", "limit=0x7", "limit=99999999999999999999", "limit"}) {
        EXPECT_EQ(query_number(with(query), "limit", allowed, 20), std::nullopt) << query;
    }
    EXPECT_EQ(bad_query(with(""), "limit", allowed).status, 400);
}

}  // namespace
}  // namespace floodgate::api
