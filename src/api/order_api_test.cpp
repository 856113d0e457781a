#include "api/order_api.hpp"

#include "api/handler_fixture.hpp"
#include "sale/order_number.hpp"

namespace floodgate::api {
namespace {

class OrderApiTest : public HandlerTest {
protected:
    static constexpr std::int64_t buyer = 42;

    OrderApiTest() { as_buyer(buyer); }

    std::string bought(std::int64_t sale) {
        clock_.advance(milliseconds(1));
        const sale::verdict v = buy(buyer, sale);
        EXPECT_EQ(v.what, sale::answer::accepted);
        return sale::to_text(v.order);
    }
    std::string status_of_order(const std::string& no) {
        return std::string(get("/orders/" + no).body.at("status").as_string());
    }
    // "queued 3, unpaid 2": each order's status and, counted from 1, which purchase it was.
    std::vector<std::string> listed(const std::string& query, const std::vector<std::string>& all) {
        const answered page = get("/orders" + query);
        std::vector<std::string> out;
        for (const auto& o : page.body.at("orders").as_array()) {
            const auto at = std::ranges::find(all, std::string(o.at("order_no").as_string()));
            out.push_back(std::string(o.at("status").as_string()) + " " +
                          std::to_string(at - all.begin() + 1));
        }
        const auto& next = page.body.at("next_before");
        next_before_ = next.is_null() ? "" : std::string(next.as_string());
        return out;
    }
    using expected = std::vector<std::string>;
    std::string next_before_;
};

TEST_F(OrderApiTest, ShowsAPromiseAsQueuedUntilItIsEntered) {
    const std::string no = bought(published_sale(5));
    const answered queued = get("/orders/" + no);
    EXPECT_EQ(queued.body, (boost::json::value{{"order_no", no},
                                               {"sale_id", 1},
                                               {"quantity", 1},
                                               {"status", "queued"},
                                               {"created_at", to_iso(clock_.now())},
                                               {"product_id", 1},
                                               {"product_title", "Kettle"}}));
    enter_all();
    const answered entered = get("/orders/" + no);
    EXPECT_EQ(entered.body.at("status").as_string(), "unpaid");
    EXPECT_EQ(entered.body.at("amount_fen").as_int64(), 9900);
    EXPECT_EQ(entered.body.at("unit_price_fen").as_int64(), 9900);
    EXPECT_FALSE(entered.body.as_object().contains("paid_at"));
    EXPECT_EQ(entered.body.at("created_at"), queued.body.at("created_at"));
    EXPECT_EQ(entered.body.at("pay_by").as_string(),
              to_iso(clock_.now() + std::chrono::seconds(900)));
}

TEST_F(OrderApiTest, HidesForeignOrdersLikeMissingOnes) {
    const std::int64_t sale = published_sale(5);
    const std::string no = bought(sale);
    as_buyer(43);
    const answered queued = get("/orders/" + no);
    enter_all();
    const answered entered = get("/orders/" + no);
    const answered missing = get("/orders/1");
    EXPECT_EQ(queued.status, 404);
    EXPECT_EQ(queued.body, missing.body);
    EXPECT_EQ(entered.body, missing.body);
    EXPECT_TRUE(get("/orders").body.at("orders").as_array().empty());
}

TEST_F(OrderApiTest, ListsNewestFirstWithQueuedOnesAmongThem) {
    std::vector<std::string> all;
    for (int i = 0; i < 3; ++i) all.push_back(bought(published_sale(5)));
    enter_all();
    for (int i = 0; i < 2; ++i) all.push_back(bought(published_sale(5)));
    EXPECT_EQ(listed("", all),
              (expected{"queued 5", "queued 4", "unpaid 3", "unpaid 2", "unpaid 1"}));
    EXPECT_EQ(next_before_, "");
}

TEST_F(OrderApiTest, GivesPagesThatMissNothingAndRepeatNothing) {
    std::vector<std::string> all;
    for (int i = 0; i < 4; ++i) all.push_back(bought(published_sale(5)));
    enter_all();
    for (int i = 0; i < 3; ++i) all.push_back(bought(published_sale(5)));
    EXPECT_EQ(listed("?limit=2", all), (expected{"queued 7", "queued 6"}));
    EXPECT_EQ(next_before_, all[5]);
    EXPECT_EQ(listed("?limit=2&before=" + next_before_, all), (expected{"queued 5", "unpaid 4"}));
    EXPECT_EQ(listed("?limit=2&before=" + next_before_, all), (expected{"unpaid 3", "unpaid 2"}));
    EXPECT_EQ(listed("?limit=2&before=" + next_before_, all), (expected{"unpaid 1"}));
    EXPECT_EQ(next_before_, "");
    EXPECT_EQ(listed("?limit=7", all).size(), 7U);
    EXPECT_EQ(next_before_, "");
    EXPECT_EQ(listed("?limit=6", all).size(), 6U);
    EXPECT_EQ(next_before_, all[1]);
}

TEST_F(OrderApiTest, RefusesWrongPages) {
    for (const char* query : {"?limit=0", "?limit=101", "?limit=x", "?before=0", "?before=-1",
                              "?before=99999999999999999999"}) {
        EXPECT_EQ(get(std::string("/orders") + query).code(), "bad_request") << query;
    }
}

// The ledger is changed without telling the memory, which shows where an answer comes from.
TEST_F(OrderApiTest, RemembersWhatChangedLately) {
    const std::string no = bought(published_sale(5));
    enter_all();
    sale::order known = *book_.orders().find(*sale::parse_order_no(no));
    known.state = sale::order_state::paid;
    const sale::order_news news{known, 9};
    recent_.apply(news);
    EXPECT_EQ(status_of_order(no), "paid");
    as_buyer(43);
    EXPECT_EQ(get("/orders/" + no).status, 404);
}

TEST_F(OrderApiTest, ShowsThatAnOrderIsBeingClosed) {
    const std::string no = bought(published_sale(5));
    enter_all();
    sale::order known = *book_.orders().find(*sale::parse_order_no(no));
    known.closing = "cancelled";
    const sale::order_news news{known, 0};
    recent_.apply(news);
    EXPECT_EQ(get("/orders/" + no).body.at("closing").as_string(), "cancelled");
}

TEST_F(OrderApiTest, AboveTheNewestEntryThePromiseIsEnough) {
    const std::string first = bought(published_sale(5));
    enter_all();
    const sale::order_news news{*book_.orders().find(*sale::parse_order_no(first)), 0};
    recent_.apply(news);
    const std::string later = bought(published_sale(5));
    verbs_.enter({line_.kept.back()});  // in the ledger, but not told yet
    EXPECT_EQ(status_of_order(later), "queued");
    const sale::order_news more{*book_.orders().find(*sale::parse_order_no(later)), 0};
    recent_.apply(more);
    EXPECT_EQ(status_of_order(later), "unpaid");
    EXPECT_EQ(get("/orders/" + std::to_string(more.what.no.value + 1)).status, 404);
}

TEST_F(OrderApiTest, RefusesWrongWaits) {
    const std::string no = bought(published_sale(5));
    for (const char* query : {"?wait_ms=-1", "?wait_ms=30001", "?wait_ms=x", "?wait_ms="}) {
        const answered r = get("/orders/" + no + query);
        EXPECT_EQ(r.code(), "bad_request") << query;
        EXPECT_EQ(r.body.at("field").as_string(), "wait_ms") << query;
    }
    for (const char* query : {"?while=", "?while=x", "?wait_ms=5&while=Queued"})
        EXPECT_EQ(get("/orders/" + no + query).body.at("field").as_string(), "while") << query;
    EXPECT_EQ(get("/orders/" + no + "?wait_ms=30000&while=paid").status, 200);
}

TEST_F(OrderApiTest, TellsWhyAnOrderFailed) {
    const std::int64_t sale = published_sale(1);
    sale::promise p = verbs_.promise({sale}, buyer, 1);
    sale::promise too_many = verbs_.promise({sale}, buyer + 1, 1);
    verbs_.enter({p, too_many});
    as_buyer(buyer + 1);
    const answered r = get("/orders/" + sale::to_text(too_many.order));
    EXPECT_EQ(r.body.at("status").as_string(), "failed");
    EXPECT_EQ(r.body.at("reason").as_string(), "no_stock");
}

}  // namespace
}  // namespace floodgate::api
