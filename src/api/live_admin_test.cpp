#include "api/handler_fixture.hpp"

namespace floodgate::api {
namespace {

using LiveAdminTest = HandlerTest;

live_sample second_of(int answers) {
    live_sample s{.at = ledger::noon, .state = {.node = 3}};
    s.answers[static_cast<std::size_t>(sale::answer::sold_out)] = answers;
    s.sales = {{.id = {9}, .units = {.stock = 2, .free = 2}}};
    return s;
}

TEST_F(LiveAdminTest, ShowsTheLastSecondsAndThePresentOne) {
    EXPECT_EQ(get("/admin/live").body.at("history").as_array().size(), 0U);
    live_.add(second_of(4));
    live_.add(second_of(6));
    const auto page = get("/admin/live?seconds=1");
    EXPECT_EQ(page.status, 200);
    ASSERT_EQ(page.body.at("history").as_array().size(), 1U);
    EXPECT_EQ(page.body.at("now").at("answers").at("sold_out").as_int64(), 6);
    EXPECT_EQ(page.body.at("now").at("sales").at(0).at("sale_id").as_int64(), 9);
    EXPECT_EQ(get("/admin/live?seconds=0").status, 400);
    EXPECT_EQ(get("/admin/live?seconds=3601").status, 400);
    EXPECT_EQ(get("/admin/live?step=61").status, 400);
}

TEST_F(LiveAdminTest, TellsTheHealthOfEveryNodeWithStatus200AlsoWhenItIsBad) {
    live_.add(second_of(0));
    readiness_.why_not = "the gate does not answer";
    operators_.look(clock_.now());
    const auto page = get("/admin/health");
    EXPECT_EQ(page.status, 200);
    EXPECT_EQ(page.body.at("reason").as_string(), "the gate does not answer");
    EXPECT_EQ(page.body.at("durability").as_array().size(), 2U);
    EXPECT_EQ(page.body.at("nodes").at(0).at("node").as_int64(), 3);
}

TEST_F(LiveAdminTest, ShowsTheConfigurationButNoSecret) {
    configuration_ = {{"edge.loops", "4", "0", "file", false},
                      {"redis.password", "", "", "file", true}};
    const auto page = get("/admin/config");
    const auto& options = page.body.at("options").as_array();
    ASSERT_EQ(options.size(), 2U);
    EXPECT_EQ(options[0].at("value").as_string(), "4");
    EXPECT_EQ(options[0].at("default").as_string(), "0");
    EXPECT_TRUE(options[1].at("secret").as_bool());
    EXPECT_FALSE(options[1].as_object().contains("value"));
}

}  // namespace
}  // namespace floodgate::api
