// Admins' handlers for products and rounds, and the audit book.

#include "api/admin_api.hpp"
#include "api/handler_fixture.hpp"

namespace floodgate::api {
namespace {

namespace json = boost::json;

class CatalogueAdminTest : public HandlerTest {
protected:
    std::string latest_action() {
        return std::string(
            get("/admin/audit?limit=1").body.at("lines").at(0).at("action").as_string());
    }
};

TEST_F(CatalogueAdminTest, MakesAndChangesAProduct) {
    const answered made = post(
        "/admin/products",
        R"({"title":"壶","list_price_fen":19900,"description":"one\ntwo","pictures":["/a.jpg"]})");
    ASSERT_EQ(made.status, 201);
    EXPECT_EQ(made.headers, "Location: /api/v1/admin/products/1\r\n");
    EXPECT_EQ(get("/admin/products/1").body, made.body);

    const answered changed = put("/admin/products/1", R"({"title":"Kettle"})");
    EXPECT_EQ(changed.status, 200);
    EXPECT_EQ(changed.body.at("title").as_string(), "Kettle");
    EXPECT_EQ(changed.body.at("pictures"), made.body.at("pictures")) << "left out: kept";
    EXPECT_EQ(get("/admin/products").body.at("products"), json::value(json::array{changed.body}));
}

TEST_F(CatalogueAdminTest, KeepsTheLimitsOfAProduct) {
    const std::string long_title(201, 'x');
    for (const std::string& body : {
             std::string(R"({"list_price_fen":1})"),
             std::string(R"({"title":"a"})"),
             std::string(R"({"title":"a","list_price_fen":-1})"),
             std::string(R"({"title":"a","list_price_fen":100000000001})"),
             R"({"title":")" + long_title + R"(","list_price_fen":1})",
             std::string(R"({"title":"a","list_price_fen":1,"pictures":[""]})"),
             std::string(R"({"title":"a","list_price_fen":1,"pictures":["javascript:x"]})"),
             std::string(R"({"title":"a","list_price_fen":1,"pictures":["data:text/html,x"]})"),
             std::string(R"({"title":"a\u202eb","list_price_fen":1})"),
             std::string(R"({"title":"a","list_price_fen":1,"id":7})"),
             std::string("[]"),
             std::string("{"),
         }) {
        EXPECT_EQ(post("/admin/products", body).code(), "bad_request") << body;
    }
    EXPECT_EQ(put("/admin/products/9", "{}").code(), "not_found");
    EXPECT_EQ(get("/admin/products/9").code(), "not_found");
    EXPECT_TRUE(get("/admin/products").body.at("products").as_array().empty());
}

TEST_F(CatalogueAdminTest, WantsARoundToStartBeforeItEnds) {
    const std::string window =
        R"({"title":"a","starts_at":"2027-01-01T10:00:00Z","ends_at":"2027-01-01T10:00:00Z"})";
    const answered r = post("/admin/rounds", window);
    EXPECT_EQ(r.code(), "invalid");
    EXPECT_EQ(r.body.at("field").as_string(), "ends_at");
    EXPECT_EQ(post("/admin/rounds", R"({"title":"a","starts_at":"2027-01-01"})").code(),
              "bad_request");
}

TEST_F(CatalogueAdminTest, MovesTheWindowOfARoundInTheGateToo) {
    const std::int64_t sale = published_sale(5);
    EXPECT_EQ(buy(7, sale).what, sale::answer::accepted);
    const answered later =
        put("/admin/rounds/1",
            R"({"starts_at":")" + to_iso(ledger::noon + std::chrono::hours(1)) + R"("})");
    EXPECT_EQ(later.status, 200);
    EXPECT_EQ(buy(8, sale).what, sale::answer::not_started);
    EXPECT_EQ(latest_action(), "round.changed");
    clock_.advance(std::chrono::hours(1));
    EXPECT_EQ(buy(8, sale).what, sale::answer::accepted);
}

TEST_F(CatalogueAdminTest, LeavesAnEndedSaleEndedWhenItsRoundIsExtended) {
    const std::int64_t sale = published_sale(5);
    post("/admin/sales/1/end");
    put("/admin/rounds/1",
        R"({"ends_at":")" + to_iso(ledger::noon + std::chrono::hours(9)) + R"("})");
    EXPECT_EQ(buy(7, sale).what, sale::answer::ended);
}

TEST_F(CatalogueAdminTest, WritesDownWhoChangedWhat) {
    post("/admin/products", R"({"title":"old","list_price_fen":1})");
    who_ = {{5}, sale::role::admin};
    put("/admin/products/1", R"({"title":"new"})");
    const answered book = get("/admin/audit");
    const auto& lines = book.body.at("lines").as_array();
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].at("who").as_int64(), 5);
    EXPECT_EQ(lines[0].at("action").as_string(), "product.changed");
    EXPECT_EQ(lines[0].at("subject").as_string(), "product 1");
    EXPECT_EQ(lines[0].at("details").at("before").at("title").as_string(), "old");
    EXPECT_EQ(lines[0].at("details").at("after").at("title").as_string(), "new");
}

TEST_F(CatalogueAdminTest, PagesThroughTheAuditBook) {
    for (int i = 0; i < 5; ++i) post("/admin/products", R"({"title":"a","list_price_fen":1})");
    const answered first = get("/admin/audit?limit=2");
    EXPECT_EQ(first.body.at("next_before").as_int64(), 4);
    const answered last = get("/admin/audit?limit=3&before=4");
    EXPECT_EQ(last.body.at("lines").as_array().size(), 3U);
    EXPECT_TRUE(last.body.at("next_before").is_null());
    EXPECT_EQ(get("/admin/audit?limit=501").code(), "bad_request");
}

TEST_F(CatalogueAdminTest, PagesThroughProductsAndRoundsNewestFirst) {
    for (int i = 0; i < 3; ++i) {
        post("/admin/products", R"({"title":"a","list_price_fen":1})");
        post(
            "/admin/rounds",
            R"({"title":"a","starts_at":"2027-01-01T10:00:00Z","ends_at":"2027-01-01T11:00:00Z"})");
    }
    for (const std::string what : {"products", "rounds"}) {
        const answered first = get("/admin/" + what + "?limit=2");
        EXPECT_EQ(first.body.at(what).at(0).at("id").as_int64(), 3) << what;
        EXPECT_EQ(first.body.at("next_before").as_int64(), 2) << what;
        const answered last = get("/admin/" + what + "?limit=2&before=2");
        ASSERT_EQ(last.body.at(what).as_array().size(), 1U) << what;
        EXPECT_TRUE(last.body.at("next_before").is_null()) << what;
        EXPECT_EQ(get("/admin/" + what).body.at(what).as_array().size(), 3U) << what;
        EXPECT_EQ(get("/admin/" + what + "?limit=501").code(), "bad_request") << what;
        EXPECT_EQ(get("/admin/" + what + "?before=0").code(), "bad_request") << what;
    }
}

TEST_F(CatalogueAdminTest, WritesNothingDownForWhatWasRefused) {
    post("/admin/products", "{}");
    put("/admin/rounds/1", "{}");
    EXPECT_TRUE(get("/admin/audit").body.at("lines").as_array().empty());
}

}  // namespace
}  // namespace floodgate::api
