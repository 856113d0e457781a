#include "api/ops_api.hpp"

#include "api/handler_fixture.hpp"
#include "api/openapi.hpp"

namespace floodgate::api {
namespace {

class OpsApiTest : public HandlerTest {};

TEST_F(OpsApiTest, SaysWhatDurabilityHoldsWhenReady) {
    with_.durability = {"journal: fdatasync", "ledger: full"};
    const answered r = get("//readyz");
    EXPECT_EQ(r.status, 200);
    EXPECT_EQ(r.body, (boost::json::value{{"status", "ready"},
                                          {"warnings", boost::json::array()},
                                          {"durability", {"journal: fdatasync", "ledger: full"}}}));
}

TEST_F(OpsApiTest, SaysWhyItIsNotReady) {
    with_.readiness = [] { return readiness{.why_not = "shutting down"}; };
    const answered r = get("//readyz");
    EXPECT_EQ(r.status, 503);
    EXPECT_EQ(r.body.at("status").as_string(), "not_ready");
    EXPECT_EQ(r.body.at("reason").as_string(), "shutting down");
}

TEST_F(OpsApiTest, WarnsWhileItSells) {
    with_.readiness = [] { return readiness{.why_not = "", .warnings = {"ledger: no answer"}}; };
    const answered r = get("//readyz");
    EXPECT_EQ(r.status, 200);
    EXPECT_EQ(r.body.at("warnings").at(0).as_string(), "ledger: no answer");
}

TEST_F(OpsApiTest, IsLive) { EXPECT_EQ(healthz().body, R"({"status":"live"})"); }

TEST_F(OpsApiTest, HandsTheMetricsOverAsTheyAre) {
    with_.metrics_text = [] { return std::string("floodgate_orders_total 3\n"); };
    const reply r = metrics(with_, {});
    EXPECT_EQ(r.body, "floodgate_orders_total 3\n");
    EXPECT_TRUE(r.content_type.starts_with("text/plain; version=0.0.4"));
}

TEST_F(OpsApiTest, ServesItsDescriptionOnce) {
    const answered r = get("/openapi.json");
    EXPECT_EQ(r.status, 200);
    EXPECT_EQ(r.body.at("openapi").as_string(), "3.1.0");
    const std::size_t begin = r.headers.find('"');
    next_.if_none_match = r.headers.substr(begin, r.headers.find('"', begin + 1) - begin + 1);
    EXPECT_EQ(get("/openapi.json").status, 304);
}

}  // namespace
}  // namespace floodgate::api
