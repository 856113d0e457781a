// Admins' handlers for sales: terms, states, warm-up, stock.

#include "api/admin_api.hpp"
#include "api/handler_fixture.hpp"

namespace floodgate::api {
namespace {

class SaleAdminTest : public HandlerTest {
protected:
    std::string state() { return std::string(get("/admin/sales/1").body.at("state").as_string()); }
    std::string latest_action() {
        return std::string(
            get("/admin/audit?limit=1").body.at("lines").at(0).at("action").as_string());
    }
    std::int64_t gate_stock() { return turnstile_.look_up({1})->stock; }
    std::int64_t ledger_stock() { return get("/admin/sales/1").body.at("stock").as_int64(); }
};

TEST_F(SaleAdminTest, MakesADraftThatNobodyCanBuy) {
    const std::int64_t id = draft_sale(5);
    EXPECT_EQ(state(), "draft");
    EXPECT_EQ(buy(7, id).what, sale::answer::unknown_sale);
    EXPECT_TRUE(get("/admin/sales/1").body.at("figures").at("gate").is_null());
}

TEST_F(SaleAdminTest, ListsSalesByPagesNewestFirst) {
    for (int i = 0; i < 3; ++i) draft_sale(5);
    const answered first = get("/admin/sales?limit=2");
    ASSERT_EQ(first.body.at("sales").as_array().size(), 2U);
    EXPECT_EQ(first.body.at("sales").at(0).at("id").as_int64(), 3);
    EXPECT_EQ(first.body.at("next_before").as_int64(), 2);
    const answered rest = get("/admin/sales?limit=2&before=2");
    ASSERT_EQ(rest.body.at("sales").as_array().size(), 1U);
    EXPECT_EQ(rest.body.at("sales").at(0).at("id").as_int64(), 1);
    EXPECT_TRUE(rest.body.at("next_before").is_null());
    EXPECT_EQ(get("/admin/sales").body.at("sales").as_array().size(), 3U);
    EXPECT_EQ(get("/admin/sales?limit=0").status, 400);
}

TEST_F(SaleAdminTest, RefusesASaleOfNothingOrTwice) {
    draft_sale(5);
    const std::string terms = R"("price_fen":1,"stock":1})";
    const answered twice = post("/admin/sales", R"({"product_id":1,"round_id":1,)" + terms);
    EXPECT_EQ(twice.code(), "already_exists");
    const answered nothing = post("/admin/sales", R"({"product_id":9,"round_id":1,)" + terms);
    EXPECT_EQ(nothing.code(), "not_found");
    EXPECT_EQ(nothing.detail(), "there is no such product or round");
    for (const char* body :
         {R"({"product_id":1,"round_id":1,"stock":1})",
          R"({"product_id":1,"round_id":1,"price_fen":1})",
          R"({"product_id":0,"round_id":1,"price_fen":1,"stock":1})",
          R"({"product_id":1,"round_id":1,"price_fen":1,"stock":1000000001})",
          R"({"product_id":1,"round_id":1,"price_fen":1,"stock":1,"limit":0})",
          R"({"product_id":1,"round_id":1,"price_fen":1,"stock":1,"pay_within_s":604801})",
          R"({"product_id":1,"round_id":1,"price_fen":1,"stock":1,"state":"published"})"}) {
        EXPECT_EQ(post("/admin/sales", body).code(), "bad_request") << body;
    }
}

// Which move is allowed in which state: the whole table.
TEST_F(SaleAdminTest, MovesASaleOnlyAlongItsStates) {
    const std::vector<std::pair<std::string, std::vector<std::string>>> ways_to = {
        {"draft", {}},
        {"published", {"publish"}},
        {"paused", {"publish", "pause"}},
        {"ended", {"publish", "end"}}};
    const std::map<std::string, std::map<std::string, std::string>> becomes = {
        {"draft", {{"publish", "published"}, {"end", "ended"}}},
        {"published",
         {{"publish", "published"},
          {"pause", "paused"},
          {"resume", "published"},
          {"end", "ended"}}},
        {"paused", {{"pause", "paused"}, {"resume", "published"}, {"end", "ended"}}},
        {"ended", {{"end", "ended"}}}};
    for (const auto& [from, steps] : ways_to) {
        for (const std::string move : {"publish", "pause", "resume", "end"}) {
            const std::string sale = "/admin/sales/" + std::to_string(draft_sale(5));
            for (const std::string& step : steps) ASSERT_EQ(post(sale + "/" + step).status, 200);
            const auto found = becomes.at(from).find(move);
            const bool allowed = found != becomes.at(from).end();
            const answered r = post(sale + "/" + move);
            EXPECT_EQ(r.status, allowed ? 200 : 409) << from << " " << move;
            EXPECT_EQ(get(sale).body.at("state").as_string(), allowed ? found->second : from)
                << from << " " << move;
        }
    }
}

TEST_F(SaleAdminTest, TellsTheGateAtOnce) {
    const std::int64_t id = published_sale(5);
    EXPECT_EQ(buy(7, id).what, sale::answer::accepted);
    post("/admin/sales/1/pause");
    EXPECT_EQ(buy(8, id).what, sale::answer::paused);
    EXPECT_EQ(latest_action(), "sale.paused");
    post("/admin/sales/1/resume");
    EXPECT_EQ(buy(8, id).what, sale::answer::accepted);
    post("/admin/sales/1/end");
    EXPECT_EQ(buy(9, id).what, sale::answer::ended);
    EXPECT_EQ(turnstile_.look_up({id})->taken, 2);
}

TEST_F(SaleAdminTest, PausesAndEndsAtTheGateWhenTheLedgerCannotFollow) {
    const std::int64_t id = published_sale(5);
    verbs_.sql("CREATE TRIGGER stuck BEFORE UPDATE ON sales BEGIN SELECT RAISE(ABORT, 'no'); END");
    const answered paused = post("/admin/sales/1/pause");
    EXPECT_EQ(paused.status, 202);
    EXPECT_EQ(paused.body.at("state").as_string(), "paused");
    EXPECT_TRUE(paused.body.at("book_pending").as_bool());
    EXPECT_EQ(buy(7, id).what, sale::answer::paused);
    EXPECT_EQ(post("/admin/sales/1/end").status, 202);
    EXPECT_EQ(buy(7, id).what, sale::answer::ended);
    verbs_.sql("DROP TRIGGER stuck");
    EXPECT_EQ(state(), "published");
    clock_.advance(std::chrono::seconds(5));
    desk_.step();
    EXPECT_EQ(state(), "ended");
    EXPECT_EQ(latest_action(), "sale.ended");
    EXPECT_EQ(post("/admin/sales/1/end").status, 200);
}

TEST_F(SaleAdminTest, ChangesTheTermsButNotWhatWasPromised) {
    const std::int64_t id = published_sale(5);
    buy(7, id);
    const answered r = put("/admin/sales/1", R"({"price_fen":5000,"limit":2})");
    EXPECT_EQ(r.status, 200);
    EXPECT_EQ(r.body.at("price_fen").as_int64(), 5000);
    EXPECT_EQ(r.body.at("pay_within_s").as_int64(), 900);
    buy(8, id, 2);
    enter_all();
    EXPECT_EQ(book_.orders().find(line_.kept.at(0).order)->amount.value, 9900);
    EXPECT_EQ(book_.orders().find(line_.kept.at(1).order)->amount.value, 10'000);
    EXPECT_EQ(put("/admin/sales/1", R"({"stock":7})").detail(), "there is no field \"stock\"");
}

TEST_F(SaleAdminTest, ShowsWhatLedgerAndGateSay) {
    const std::int64_t id = published_sale(5);
    buy(7, id);
    enter_all();
    buy(8, id);
    const answered r = get("/admin/sales/1");
    const auto& figures = r.body.at("figures");
    EXPECT_EQ(figures.at("ledger").at("held").as_int64(), 1);
    EXPECT_EQ(figures.at("gate").at("taken").as_int64(), 2);
    EXPECT_EQ(figures.at("gate").at("free").as_int64(), 3);
}

TEST_F(SaleAdminTest, WarmsUpWithoutForgettingWhatIsTaken) {
    const std::int64_t id = published_sale(1);
    EXPECT_EQ(buy(7, id).what, sale::answer::accepted);
    EXPECT_EQ(post("/admin/sales/1/warm-up").status, 200);
    EXPECT_EQ(buy(8, id).what, sale::answer::sold_out);
    draft_sale(1);
    EXPECT_EQ(post("/admin/sales/2/warm-up").code(), "conflict");
    const answered all = post("/admin/warm-up");
    EXPECT_EQ(all.body,
              (boost::json::value{{"sales", boost::json::array{{{"id", 1}, {"ok", true}}}}}));
    EXPECT_EQ(post("/admin/warm-up", R"({"hurry":true})").code(), "bad_request");
}

TEST_F(SaleAdminTest, AddsStockWhileSelling) {
    const std::int64_t id = published_sale(1);
    buy(7, id);
    EXPECT_EQ(buy(8, id).what, sale::answer::sold_out);
    const answered r = post("/admin/sales/1/stock", R"({"delta":2,"note":"second delivery"})");
    EXPECT_EQ(r.status, 200);
    EXPECT_EQ(r.body.at("stock").as_int64(), 3);
    EXPECT_EQ(gate_stock(), 3);
    EXPECT_EQ(buy(8, id).what, sale::answer::accepted);
    EXPECT_EQ(latest_action(), "stock.added");
    const auto log = get("/admin/sales/1/stock-log?limit=1");
    EXPECT_EQ(log.body.at("moves").at(0).at("kind").as_string(), "added");
    EXPECT_EQ(log.body.at("moves").at(0).at("note").as_string(), "second delivery");
}

TEST_F(SaleAdminTest, ShowsWhoLetsOrdersGo) {
    const std::int64_t id = published_sale(9, 3);
    for (const std::int64_t buyer : {7, 8, 7}) {
        const auto order = buy(buyer, id).order;
        enter_all();
        clock_.advance(milliseconds(1000));
        ASSERT_TRUE(checkout_.cancel(order, {buyer}).has_value());
    }
    buy(9, id);
    const answered all = get("/admin/sales/1/returns");
    ASSERT_EQ(all.body.at("buyers").as_array().size(), 2U);
    EXPECT_EQ(
        all.body.at("buyers").at(0),
        (boost::json::value{{"buyer_id", 7}, {"times", 2}, {"last_at", to_iso(clock_.now())}}));
    EXPECT_EQ(get("/admin/sales/1/returns?limit=1").body.at("buyers").as_array().size(), 1U);
    EXPECT_EQ(get("/admin/sales/1/returns?limit=501").code(), "bad_request");
    EXPECT_EQ(get("/admin/sales/9/returns").code(), "not_found");
}

TEST_F(SaleAdminTest, RemovesOnlyWhatTheGateHasNotPromised) {
    const std::int64_t id = published_sale(5);
    buy(7, id);
    buy(8, id);  // neither is in the ledger yet, which would let all five go
    const answered refused = post("/admin/sales/1/stock", R"({"delta":-4})");
    EXPECT_EQ(refused.code(), "conflict");
    EXPECT_EQ(refused.body.at("free").as_int64(), 3);
    EXPECT_EQ(gate_stock(), 5);
    EXPECT_EQ(ledger_stock(), 5);
    EXPECT_EQ(post("/admin/sales/1/stock", R"({"delta":-3})").status, 200);
    EXPECT_EQ(gate_stock(), 2);
    EXPECT_EQ(ledger_stock(), 2);
    EXPECT_EQ(buy(9, id).what, sale::answer::sold_out);
    EXPECT_EQ(post("/admin/sales/1/stock", R"({"delta":-6})").code(), "conflict");
}

TEST_F(SaleAdminTest, GivesUnitsBackToTheGateWhenTheLedgerKeepsThem) {
    const std::int64_t id = published_sale(5);
    verbs_.enter({verbs_.promise({id}, 7, 1), verbs_.promise({id}, 8, 1)});  // unknown to the gate
    const answered r = post("/admin/sales/1/stock", R"({"delta":-4})");
    EXPECT_EQ(r.status, 409);
    EXPECT_EQ(gate_stock(), 5);
    EXPECT_EQ(ledger_stock(), 5);
}

TEST_F(SaleAdminTest, ChangesTheStockOfADraftInTheLedgerOnly) {
    draft_sale(5);
    EXPECT_EQ(post("/admin/sales/1/stock", R"({"delta":-5})").status, 200);
    EXPECT_EQ(post("/admin/sales/1/stock", R"({"delta":-1})").body.at("free").as_int64(), 0);
    EXPECT_FALSE(turnstile_.look_up({1}));
}

TEST_F(SaleAdminTest, RefusesAStockChangeThatMakesNoSense) {
    published_sale(5);
    EXPECT_EQ(post("/admin/sales/1/stock", R"({"delta":0})").code(), "invalid");
    EXPECT_EQ(post("/admin/sales/1/stock", R"({"delta":1000000000})").code(), "invalid");
    EXPECT_EQ(gate_stock(), 5);
    for (const char* body : {"{}", R"({"delta":1.5})", R"({"delta":-1000000001})",
                             R"({"delta":"1"})", R"({"delta":1,"note":7})"}) {
        EXPECT_EQ(post("/admin/sales/1/stock", body).code(), "bad_request") << body;
    }
    EXPECT_EQ(post("/admin/sales/9/stock", R"({"delta":1})").code(), "not_found");
    EXPECT_EQ(get("/admin/sales/9/stock-log").code(), "not_found");
    EXPECT_EQ(get("/admin/sales/1/stock-log?limit=0").code(), "bad_request");
}

}  // namespace
}  // namespace floodgate::api
