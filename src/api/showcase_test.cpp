#include "api/showcase.hpp"

#include <boost/json/parse.hpp>

#include <thread>

#include "api/handler_fixture.hpp"
#include "api/openapi_contract.hpp"

namespace floodgate::api {
namespace {

namespace json = boost::json;

class ShowcaseTest : public HandlerTest {
protected:
    static std::string list(const showcase& of) { return content_of(of.read()->rounds->page({})); }
    json::value rounds() { return json::parse(list(showcase_)); }
    json::value sale(std::int64_t id) { return json::parse(*showcase_.read()->sales.at(id).body); }
};

TEST_F(ShowcaseTest, ShowsAnEmptyListBeforeTheFirstReload) {
    EXPECT_EQ(list(showcase_), R"({"rounds":[]})");
    EXPECT_NE(showcase_.version(), 0U);
}

TEST_F(ShowcaseTest, ShowsASaleAsDescribed) {
    const std::int64_t id = published_sale(5);
    EXPECT_EQ(breach_of_contract("GET", "/api/v1/sales/{id}",
                                 {.body = *showcase_.read()->sales.at(id).body}),
              "");
    EXPECT_EQ(breach_of_contract("GET", "/api/v1/rounds", {.body = list(showcase_)}), "");
    const json::value s = sale(id);
    EXPECT_EQ(s.at("free").as_int64(), 5);
    EXPECT_EQ(s.at("product").at("title").as_string(), "Kettle");
    EXPECT_EQ(s.at("round").at("title").as_string(), "Noon");
}

TEST_F(ShowcaseTest, ShowsTheProductInShortInTheListAndWholeOnItsPage) {
    const std::int64_t id = published_sale(5);
    put("/admin/products/1", R"({"description":"1.7 l","pictures":["/a.jpg","/b.jpg"]})");
    json::value whole = sale(id);
    EXPECT_EQ(whole.at("product").at("pictures").as_array().size(), 2U);
    for (const char* left_out : {"description", "external_id", "metadata"})
        whole.at("product").as_object().erase(left_out);
    whole.at("product").at("pictures").as_array().resize(1);
    EXPECT_EQ(rounds().at("rounds").at(0).at("sales").at(0), whole);
}

TEST_F(ShowcaseTest, KeepsTheSizeOfAPageInBoundsWhateverAdminsWrite) {
    const std::int64_t id = published_sale(5);
    const std::string product = R"({"title":"Kettle","list_price_fen":1,"description":")" +
                                std::string(20'000, 'x') + "\"}";
    for (int i = 0; i < 120; ++i) {
        const std::int64_t made = post("/admin/products", product).body.at("id").as_int64();
        const std::string terms = R"({"round_id":1,"price_fen":1,"stock":1,"product_id":)";
        ASSERT_EQ(post("/admin/sales", terms + std::to_string(made) + "}").status, 201);
    }
    for (std::int64_t s = id; s < id + 121; ++s)
        ASSERT_TRUE(book_.catalogue().set_sale_state({s}, sale::sale_state::published).has_value());
    ASSERT_TRUE(showcase_.reload().has_value());
    const reply page = showcase_.read()->rounds->page({.entries = 100});
    EXPECT_LT(page.content_bytes(), 60'000U);
    const json::value shown = json::parse(content_of(page));
    EXPECT_EQ(shown.at("rounds").at(0).at("sales").as_array().size(), 100U);
    EXPECT_EQ(breach_of_contract("GET", "/api/v1/rounds", {.body = content_of(page)}), "");
}

TEST_F(ShowcaseTest, TakesARoundOffTheListWhenItEnds) {
    const std::int64_t id = published_sale(5);
    showcase aging(book_.catalogue(), turnstile_, clock_);
    ASSERT_TRUE(aging.reload().has_value());
    aging.refresh();
    EXPECT_NE(list(aging), R"({"rounds":[]})");
    const auto version = aging.version();
    clock_.advance(std::chrono::hours(2));
    aging.refresh();
    EXPECT_GT(aging.version(), version);
    EXPECT_EQ(list(aging), R"({"rounds":[]})");
    EXPECT_TRUE(aging.read()->sales.contains(id)) << "its own page is still there";
    aging.refresh();
    EXPECT_EQ(aging.version(), version + 1) << "once";
}

TEST_F(ShowcaseTest, LeavesDraftsOut) {
    draft_sale(5);
    EXPECT_TRUE(showcase_.read()->sales.empty());
    EXPECT_TRUE(rounds().at("rounds").at(0).at("sales").as_array().empty());
}

TEST_F(ShowcaseTest, LeavesOutWhatHasBeenOverForLong) {
    const std::int64_t id = published_sale(5);
    showcase aging(book_.catalogue(), turnstile_, clock_, {.forget_after = std::chrono::hours(1)});
    clock_.advance(std::chrono::hours(3));  // two hours on sale, and 15 minutes to pay
    ASSERT_TRUE(aging.reload().has_value());
    EXPECT_TRUE(aging.read()->sales.contains(id));
    clock_.advance(std::chrono::minutes(16));
    ASSERT_TRUE(aging.reload().has_value());
    EXPECT_FALSE(aging.read()->sales.contains(id));
    EXPECT_EQ(list(aging), R"({"rounds":[]})") << "nor is an empty round shown";
}

TEST_F(ShowcaseTest, PutsRoundsInOrderOfOpening) {
    post("/admin/rounds",
         R"({"title":"late","starts_at":"2027-06-01T00:00:00Z","ends_at":"2027-06-02T00:00:00Z"})");
    post(
        "/admin/rounds",
        R"({"title":"early","starts_at":"2027-05-01T00:00:00Z","ends_at":"2027-05-02T00:00:00Z"})");
    post("/admin/rounds",
         R"({"title":"twin","starts_at":"2027-05-01T00:00:00Z","ends_at":"2027-05-02T00:00:00Z"})");
    std::vector<std::string> titles;
    const json::value shown = rounds();
    for (const auto& r : shown.at("rounds").as_array())
        titles.emplace_back(r.at("title").as_string());
    EXPECT_EQ(titles, (std::vector<std::string>{"early", "twin", "late"}));
}

TEST_F(ShowcaseTest, RefreshesOnlyWhatMoved) {
    const std::int64_t first = published_sale(5);
    const std::int64_t second = published_sale(5);
    const auto before = showcase_.read();
    const auto version = showcase_.version();
    showcase_.refresh();
    EXPECT_EQ(showcase_.version(), version) << "nothing moved";
    EXPECT_EQ(showcase_.read(), before);

    buy(2, first);
    showcase_.refresh();
    EXPECT_GT(showcase_.version(), version);
    EXPECT_EQ(sale(first).at("free").as_int64(), 4);
    EXPECT_NE(showcase_.read()->sales.at(first).etag, before->sales.at(first).etag);
    EXPECT_EQ(showcase_.read()->sales.at(second).etag, before->sales.at(second).etag);
    EXPECT_NE(showcase_.read()->rounds->etag({}), before->rounds->etag({}));
    EXPECT_EQ(showcase_.read()->sales.at(second).body, before->sales.at(second).body) << "shared";
}

TEST_F(ShowcaseTest, GivesTheSameTagToTheSameBody) {
    const std::int64_t id = published_sale(5);
    const auto before = showcase_.read();
    ASSERT_TRUE(showcase_.reload().has_value());
    EXPECT_NE(showcase_.read(), before);
    EXPECT_EQ(showcase_.read()->rounds->etag({}), before->rounds->etag({}));
    EXPECT_EQ(before->sales.at(id).etag.size(), 18U);
    EXPECT_EQ(before->sales.at(id).etag.front(), '"');
}

TEST_F(ShowcaseTest, SaysNothingOfUnitsTheGateDoesNotKnow) {
    const std::int64_t id = draft_sale(5);
    ASSERT_TRUE(book_.catalogue().set_sale_state({id}, sale::sale_state::published).has_value());
    ASSERT_TRUE(showcase_.reload().has_value());
    EXPECT_TRUE(sale(id).at("free").is_null());
}

TEST_F(ShowcaseTest, IsReadWhileItIsRebuilt) {
    const std::int64_t id = published_sale(1000);
    std::atomic<bool> done = false;
    std::jthread reader([&] {
        while (!done) EXPECT_TRUE(showcase_.read()->sales.contains(id));
    });
    std::jthread refresher([&] {
        while (!done) showcase_.refresh();
    });
    for (int i = 0; i < 50; ++i) {
        buy(i + 10, id);
        EXPECT_TRUE(showcase_.reload().has_value());
    }
    done = true;
}

}  // namespace
}  // namespace floodgate::api
