// Orders for staff and for the shop's other systems.

#include "api/handler_fixture.hpp"

namespace floodgate::api {
namespace {

class OrdersOutApiTest : public HandlerTest {
protected:
    std::string entered(std::int64_t buyer, std::int64_t sale) {
        const auto v = buy(buyer, sale);
        EXPECT_EQ(v.what, sale::answer::accepted);
        enter_all();
        return std::to_string(v.order.value);
    }
    std::vector<std::int64_t> found(const std::string& query) {
        const answered r = get("/admin/orders" + query);
        EXPECT_EQ(r.status, 200) << r.text;
        std::vector<std::int64_t> buyers;
        for (const auto& o : r.body.at("orders").as_array())
            buyers.push_back(o.at("buyer_id").as_int64());
        return buyers;
    }
    void number() { EXPECT_TRUE(book_.feed().number_some(100)); }
    std::vector<std::string> kinds(const std::string& no) {
        std::vector<std::string> out;
        const answered told = get("/admin/orders/" + no + "/history");
        for (const auto& l : told.body.at("lines").as_array())
            out.emplace_back(l.at("kind").as_string());
        return out;
    }

    const std::int64_t sale_ = published_sale(5);
    using buyers = std::vector<std::int64_t>;
};

TEST_F(OrdersOutApiTest, StaffFindOrdersByWhatTheyKnowOfThem) {
    const auto who = verbs_.add_user("13900000077").value;
    entered(41, sale_);
    entered(who, sale_);
    as_admin();
    EXPECT_EQ(found(""), (buyers{who, 41}));
    EXPECT_EQ(found("?limit=1"), (buyers{who}));
    EXPECT_EQ(found("?phone=13900000077"), (buyers{who}));
    EXPECT_EQ(found("?phone=13900000078"), buyers{});
    EXPECT_EQ(found("?buyer_id=41&sale_id=" + std::to_string(sale_)), (buyers{41}));
    EXPECT_EQ(found("?status=paid"), buyers{});
    EXPECT_EQ(found("?from=2027-01-15T00:00:00.000Z&to=2027-01-16T00:00:00.000Z"),
              (buyers{who, 41}));
    EXPECT_EQ(found("?to=2027-01-15T00:00:00.000Z"), buyers{});
    for (const std::string wrong :
         {"?status=eaten", "?from=soon", "?sale_id=x", "?limit=501", "?method=thirteen-chars"})
        EXPECT_EQ(get("/admin/orders" + wrong).status, 400) << wrong;
}

TEST_F(OrdersOutApiTest, StaffCancelMarkPaidAndSettleAndTheStoryHasIt) {
    const std::string a = entered(41, sale_), b = entered(42, sale_);
    as_admin();
    EXPECT_EQ(post("/admin/orders/" + a + "/cancel", "{}").status, 400);
    const answered gone = post("/admin/orders/" + a + "/cancel", R"({"reason":"called"})");
    EXPECT_EQ(gone.status, 200) << gone.text;
    EXPECT_EQ(gone.body.at("status").as_string(), "closed");
    const std::string seen = R"({"reason":"cash","reference":"TX 1"})";
    EXPECT_EQ(post("/admin/orders/" + a + "/mark-paid", seen).status, 409) << "it is closed";
    const answered paid = post("/admin/orders/" + b + "/mark-paid", seen);
    EXPECT_EQ(paid.status, 200) << paid.text;
    EXPECT_EQ(paid.body.at("method").as_string(), "manual");
    EXPECT_EQ(post("/admin/orders/" + b + "/mark-paid", seen).status, 409);
    EXPECT_EQ(post("/admin/orders/" + b + "/refund", R"({"reason":"broken"})").status, 202);
    const std::string settle = "/admin/orders/" + b + "/refunds/settle";
    EXPECT_EQ(post(settle, R"({"refund_no":"7R1","reason":"cash"})").status, 409);
    const answered done = post(settle, R"({"refund_no":")" + b + R"(R1","reason":"cash"})");
    EXPECT_EQ(done.status, 200) << done.text;
    EXPECT_EQ(done.body.at("status").as_string(), "refunded");
    EXPECT_EQ(kinds(a), (std::vector<std::string>{"promised", "event", "act"}));
    const auto story = kinds(b);
    EXPECT_EQ(std::ranges::count(story, "act"), 3);
    EXPECT_EQ(std::ranges::count(story, "event"), 3);
    EXPECT_EQ(std::ranges::count(story, "refund_done"), 1);
    EXPECT_EQ(get("/admin/orders/7/history").status, 404);
}

TEST_F(OrdersOutApiTest, TheFeedHasEveryEventOnceAndSaysWhatIsGone) {
    const std::string a = entered(41, sale_);
    as_admin();
    EXPECT_EQ(post("/admin/orders/" + a + "/cancel", R"({"reason":"called"})").status, 200);
    number();
    const answered first = get("/service/events?limit=1");
    EXPECT_EQ(first.status, 200) << first.text;
    EXPECT_EQ(first.body.at("next_after").as_int64(), 1);
    EXPECT_EQ(first.body.at("events").at(0).at("to").as_string(), "unpaid");
    EXPECT_EQ(first.body.at("events").at(0).at("product_title").as_string(), "Kettle");
    const answered second = get("/service/events?after=1");
    EXPECT_EQ(second.body.at("events").at(0).at("to").as_string(), "closed");
    EXPECT_EQ(get("/service/events?after=2").body.at("next_after").as_int64(), 2);
    EXPECT_EQ(get("/service/events?after=-1").status, 400);
    EXPECT_TRUE(book_.feed().forget(clock_.now() + std::chrono::hours(1), 1));
    const answered gone = get("/service/events");
    EXPECT_EQ(gone.status, 410) << gone.text;
    EXPECT_EQ(gone.code(), "events_gone");
    EXPECT_EQ(gone.body.at("first_id").as_int64(), 2);
    EXPECT_EQ(get("/service/events?after=1").status, 200);
}

}  // namespace
}  // namespace floodgate::api
