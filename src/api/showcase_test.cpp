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
    json::value rounds() { return json::parse(showcase_.read()->rounds.body); }
    json::value sale(std::int64_t id) { return json::parse(showcase_.read()->sales.at(id).body); }
};

TEST_F(ShowcaseTest, ShowsAnEmptyListBeforeTheFirstReload) {
    EXPECT_EQ(showcase_.read()->rounds.body, R"({"rounds":[]})");
    EXPECT_NE(showcase_.version(), 0U);
}

TEST_F(ShowcaseTest, ShowsASaleAsDescribed) {
    const std::int64_t id = published_sale(5);
    EXPECT_EQ(breach_of_contract("GET", "/api/v1/sales/{id}",
                                 {.body = showcase_.read()->sales.at(id).body}),
              "");
    EXPECT_EQ(breach_of_contract("GET", "/api/v1/rounds", {.body = showcase_.read()->rounds.body}),
              "");
    const json::value s = sale(id);
    EXPECT_EQ(s.at("free").as_int64(), 5);
    EXPECT_EQ(s.at("product").at("title").as_string(), "Kettle");
    EXPECT_EQ(s.at("round").at("title").as_string(), "Noon");
    EXPECT_EQ(rounds().at("rounds").at(0).at("sales").at(0), s);
}

TEST_F(ShowcaseTest, LeavesDraftsOut) {
    draft_sale(5);
    EXPECT_TRUE(showcase_.read()->sales.empty());
    EXPECT_TRUE(rounds().at("rounds").at(0).at("sales").as_array().empty());
}

TEST_F(ShowcaseTest, LeavesOutWhatHasBeenOverForLong) {
    const std::int64_t id = published_sale(5);
    showcase aging(book_.catalogue(), turnstile_, &clock_, {.forget_after = std::chrono::hours(1)});
    clock_.advance(std::chrono::hours(3));  // two hours on sale, and 15 minutes to pay
    ASSERT_TRUE(aging.reload().has_value());
    EXPECT_TRUE(aging.read()->sales.contains(id));
    clock_.advance(std::chrono::minutes(16));
    ASSERT_TRUE(aging.reload().has_value());
    EXPECT_FALSE(aging.read()->sales.contains(id));
    EXPECT_EQ(aging.read()->rounds.body, R"({"rounds":[]})") << "nor is an empty round shown";
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
    EXPECT_NE(showcase_.read()->rounds.etag, before->rounds.etag);
}

TEST_F(ShowcaseTest, GivesTheSameTagToTheSameBody) {
    const std::int64_t id = published_sale(5);
    const auto before = showcase_.read();
    ASSERT_TRUE(showcase_.reload().has_value());
    EXPECT_NE(showcase_.read(), before);
    EXPECT_EQ(showcase_.read()->rounds.etag, before->rounds.etag);
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
