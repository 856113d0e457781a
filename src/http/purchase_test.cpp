#include "http/purchase.hpp"

#include <gtest/gtest.h>

namespace floodgate::http {
namespace {

std::optional<purchase_fault> read(request r, sale::attempt& a) {
    a.buyer = {5};
    return read_purchase(r, a);
}

TEST(ReadPurchase, TakesOneUnitByDefault) {
    sale::attempt a;
    EXPECT_FALSE(read({}, a));
    EXPECT_EQ(a.quantity, 1U);
    EXPECT_EQ(a.key, sale::no_key);
    EXPECT_FALSE(read({.body = "{}"}, a));
    EXPECT_EQ(a.quantity, 1U);
}

TEST(ReadPurchase, TakesQuantityAndKey) {
    sale::attempt a;
    EXPECT_FALSE(read({.idempotency_key = "abc", .body = R"({"quantity":3})"}, a));
    EXPECT_EQ(a.quantity, 3U);
    EXPECT_NE(a.key, sale::no_key);
    sale::attempt other;
    EXPECT_FALSE(read({.idempotency_key = "abd"}, other));
    EXPECT_NE(a.key, other.key);
}

TEST(ReadPurchase, RefusesNonsenseAndNamesTheField) {
    for (const char* body :
         {R"({"quantity":0})", R"({"quantity":-1})", R"({"quantity":1.5})", R"({"quantity":"1"})",
          R"({"quantity":1001})", R"({"quantity":null})", R"({"quantity":99999999999999999999})",
          R"({"qty":1})", "[1]", "{", "x"}) {
        sale::attempt a;
        const auto fault = read({.body = body}, a);
        ASSERT_TRUE(fault) << body;
        EXPECT_EQ(fault->what, api::problem::bad_request) << body;
        EXPECT_FALSE(fault->fault.detail.empty()) << body;
    }
    const std::string long_key(129, 'k');
    for (const std::string& key :
         {std::string(), long_key, std::string("with blank"), std::string("\xc3\xa4")}) {
        sale::attempt a;
        const auto fault = read({.idempotency_key = key}, a);
        ASSERT_TRUE(fault) << key;
        EXPECT_EQ(fault->fault.field, "Idempotency-Key");
    }
}

TEST(ReadPurchase, WantsJson) {
    sale::attempt a;
    const auto fault =
        read({.content_type = "application/x-www-form-urlencoded", .body = "q=1"}, a);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->what, api::problem::unsupported_media_type);
    EXPECT_FALSE(read({.content_type = "Application/JSON; charset=utf-8", .body = "{}"}, a));
    EXPECT_FALSE(is_json("application/jsonx"));
}

TEST(ReadPurchase, KnowsTheTypesOfFiles) {
    EXPECT_TRUE(is_file("text/csv"));
    EXPECT_TRUE(is_file("Text/CSV; charset=gbk"));
    EXPECT_TRUE(is_file("application/octet-stream"));
    for (const char* other : {"", "text/csvx", "text/plain", "application/json"})
        EXPECT_FALSE(is_file(other)) << other;
}

}  // namespace
}  // namespace floodgate::http
