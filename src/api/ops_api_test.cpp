#include "api/ops_api.hpp"

#include <boost/json/parse.hpp>

#include <fmt/format.h>

#include "api/handler_fixture.hpp"
#include "api/openapi_contract.hpp"

namespace floodgate::api {
namespace {

namespace json = boost::json;

class OpsApiTest : public HandlerTest {
protected:
    // What /readyz says after a look, checked against its description.
    json::value readyz(int status) {
        operators_.look(clock_.now());
        const reply r = operators_.readyz(clock_.now());
        EXPECT_EQ(r.status, status);
        EXPECT_EQ(breach_of_contract("GET", "/readyz", r), "");
        return json::parse(content_of(r));
    }
};

TEST_F(OpsApiTest, SaysWhatDurabilityHoldsWhenReady) {
    EXPECT_EQ(readyz(200), (json::value{{"status", "ready"},
                                        {"warnings", json::array()},
                                        {"durability", {"journal: fdatasync", "ledger: full"}}}));
}

TEST_F(OpsApiTest, SaysWhyItIsNotReady) {
    readiness_.why_not = "shutting down";
    const json::value said = readyz(503);
    EXPECT_EQ(said.at("status").as_string(), "not_ready");
    EXPECT_EQ(said.at("reason").as_string(), "shutting down");
}

TEST_F(OpsApiTest, WarnsWhileItSells) {
    readiness_.warnings = {"ledger: no answer"};
    EXPECT_EQ(readyz(200).at("warnings").at(0).as_string(), "ledger: no answer");
}

TEST_F(OpsApiTest, IsNotReadyBeforeTheFirstLookNorLongAfterTheLast) {
    EXPECT_EQ(operators_.readyz(clock_.now()).status, 503);
    operators_.look(clock_.now());
    clock_.advance(std::chrono::seconds(9));
    EXPECT_EQ(operators_.readyz(clock_.now()).status, 200);
    clock_.advance(std::chrono::seconds(2));
    const reply r = operators_.readyz(clock_.now());
    EXPECT_EQ(r.status, 503);
    EXPECT_EQ(breach_of_contract("GET", "/readyz", r), "");
}

TEST_F(OpsApiTest, IsLive) { EXPECT_EQ(healthz().body, R"({"status":"live"})"); }

TEST_F(OpsApiTest, HandsTheMetricsOverAsTheyAre) {
    const reply r = metrics(with_, {});
    EXPECT_EQ(content_of(r), "floodgate_orders_total 3\n");
    EXPECT_TRUE(r.content_type.starts_with("text/plain; version=0.0.4"));
}

TEST(OperatorPages, HaveOneMetricsPageMadeASecondWhoeverAsks) {
    int made = 0;
    operator_pages pages({.readiness = {}, .durability = {}, .metrics = [&] {
                              return fmt::format("page {}", ++made);
                          }});
    instant now = from_ms(1'000'000);
    for (int second = 0; second < 3; ++second) {
        int claims = 0;
        for (int i = 0; i < 1000; ++i) {
            if (!pages.claim_metrics(now)) continue;
            ++claims;
            pages.make_metrics();
        }
        EXPECT_EQ(claims, 1);
        EXPECT_EQ(content_of(pages.metrics()), fmt::format("page {}", second + 1));
        now += milliseconds(999);
        EXPECT_FALSE(pages.claim_metrics(now));
        now += milliseconds(1);
    }
    EXPECT_EQ(pages.metrics().shared.whole, pages.metrics().shared.whole) << "shared";
}

TEST(OperatorPages, HaveAPageMadeForEveryoneWhenNoneIsKept) {
    operator_pages pages({}, milliseconds(0));
    EXPECT_TRUE(pages.claim_metrics(from_ms(5)));
    EXPECT_TRUE(pages.claim_metrics(from_ms(5)));
}

TEST_F(OpsApiTest, ServesItsDescriptionOnce) {
    const reply r = openapi("");
    EXPECT_EQ(r.status, 200);
    EXPECT_EQ(json::parse(content_of(r)).at("openapi").as_string(), "3.1.0");
    const std::size_t begin = r.headers.find('"');
    const std::string etag = r.headers.substr(begin, r.headers.find('"', begin + 1) - begin + 1);
    EXPECT_EQ(openapi(etag).status, 304);
    EXPECT_EQ(openapi("").shared.whole, r.shared.whole) << "shared";
}

}  // namespace
}  // namespace floodgate::api
