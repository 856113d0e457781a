#include "api/query_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/handler_fixture.hpp"

namespace floodgate::api {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

const route& at(verb v, std::string_view path) { return *match(v, path).route; }

TEST(QueryRules, AreThoseOfTheDescription) {
    EXPECT_THAT(query_parameters(at(verb::get, "/api/v1/admin/products")),
                ElementsAre("limit", "before", "q", "external_id"));
    EXPECT_THAT(query_parameters(at(verb::get, "/api/v1/admin/products/7")), IsEmpty());
    EXPECT_THAT(query_parameters(at(verb::get, "/api/v1/orders/7")), Contains("wait_ms"));
    EXPECT_THAT(query_parameters(at(verb::get, "/api/v1/ws")), Contains("ticket"));
}

TEST(QueryRules, RefuseAnUnknownParameterByItsName) {
    const route& list = at(verb::get, "/api/v1/admin/sales");
    EXPECT_FALSE(refusal_of_query(list, "", language::en));
    EXPECT_FALSE(refusal_of_query(list, "limit=5&state=draft", language::en));
    EXPECT_FALSE(refusal_of_query(list, "lim%69t=5&&", language::en));
    const auto refused = refusal_of_query(list, "limit=5&sate=draft", language::en);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->status, 400);
    EXPECT_NE(refused->body.find(R"(no parameter \"sate\"; there are limit, before, round_id)"),
              std::string::npos)
        << refused->body;
    EXPECT_TRUE(refusal_of_query(list, "%00=1", language::en));
    EXPECT_TRUE(refusal_of_query(list, "=1", language::en));
    EXPECT_TRUE(refusal_of_query(at(verb::get, "/api/v1/time"), "x", language::en));
}

TEST(QueryRules, LeaveTheMessagesOfPaymentChannelsAlone) {
    EXPECT_FALSE(refusal_of_query(at(verb::get, "/api/v1/payments/alipay/return"), "anything=1",
                                  language::en));
}

class FilterTest : public HandlerTest {};

TEST_F(FilterTest, ListsTakeTheirFilters) {
    draft_sale(5);
    EXPECT_EQ(get("/admin/sales?state=draft&round_id=1").body.at("sales").as_array().size(), 1U);
    EXPECT_EQ(get("/admin/sales?state=paused").body.at("sales").as_array().size(), 0U);
    EXPECT_EQ(get("/admin/sales?state=draught").status, 400);
    EXPECT_EQ(get("/admin/rounds?state=open").body.at("rounds").as_array().size(), 1U);
    EXPECT_EQ(get("/admin/rounds?state=over").body.at("rounds").as_array().size(), 0U);
    EXPECT_EQ(get("/admin/rounds?from=yesterday").status, 400);
    EXPECT_EQ(get("/admin/products?q=KETT").body.at("products").as_array().size(), 1U);
    EXPECT_EQ(get("/admin/dead-letters?sale_id=1").body.at("letters").as_array().size(), 0U);
    const auto log = get("/admin/sales/1/stock-log?limit=1").body;
    EXPECT_EQ(log.at("moves").as_array().size(), 1U);
    EXPECT_TRUE(log.at("next_before").is_null());
}

}  // namespace
}  // namespace floodgate::api
