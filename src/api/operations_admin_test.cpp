// Dead letters, reconciliation, alerts and warm-up, asked for as an operator does.

#include <fmt/format.h>

#include <utility>

#include "api/handler_fixture.hpp"
#include "api/operations_api.hpp"
#include "sale/order_number.hpp"

namespace floodgate::api {
namespace {

class OperationsTest : public HandlerTest {
protected:
    // A promise put aside as dead; gives the letter's id.
    std::int64_t dead_letter() {
        sale_ = published_sale(3);
        EXPECT_EQ(buy(7, sale_).what, sale::answer::accepted);
        const sale::promise& p = line_.kept.back();
        EXPECT_TRUE(book_.letters().put_aside(
            p, sale::sequence{1}, {.cause = "poison", .permanent = true, .now = clock_.now()}));
        return get("/admin/dead-letters").body.at("letters").at(0).at("id").as_int64();
    }
    std::string path(std::int64_t id, const char* verb = "") {
        return fmt::format("/admin/dead-letters/{}{}", id, verb);
    }
    std::int64_t taken() { return turnstile_.look_up({sale_})->taken; }
    std::string audited() {
        return std::string(get("/admin/audit").body.at("lines").at(0).at("action").as_string());
    }

    std::int64_t sale_ = 0;
};

TEST_F(OperationsTest, ListsAndShowsALetter) {
    const std::int64_t id = dead_letter();
    const answered one = get(path(id));
    EXPECT_EQ(one.body.at("state").as_string(), "dead");
    EXPECT_EQ(one.body.at("cause").as_string(), "poison");
    EXPECT_EQ(one.body.at("promise").at("buyer_id").as_int64(), 7);
    EXPECT_EQ(get("/admin/dead-letters?state=waiting").body.at("letters").as_array().size(), 0U);
    EXPECT_EQ(get("/admin/dead-letters?state=dead").body.at("letters").as_array().size(), 1U);
    EXPECT_EQ(get("/admin/dead-letters?state=lost").status, 400);
    EXPECT_EQ(get(path(999)).status, 404);
}

TEST_F(OperationsTest, ReplayEntersItOnce) {
    const std::int64_t id = dead_letter();
    const answered done = post(path(id, "/replay"));
    EXPECT_EQ(done.status, 200);
    EXPECT_EQ(done.body.at("outcome").as_string(), "entered");
    EXPECT_EQ(done.body.at("letter").at("state").as_string(), "replayed");
    EXPECT_EQ(audited(), "letter.replayed");
    ASSERT_EQ(settled_.size(), 1U);
    EXPECT_EQ(settled_.front().state, sale::order_state::unpaid);
    EXPECT_EQ(taken(), 1);

    const answered again = post(path(id, "/replay"));
    EXPECT_EQ(again.status, 409);
    EXPECT_EQ(again.detail(), "the letter is replayed already");
    EXPECT_EQ(post(path(id, "/discard"), R"({"reason":"late"})").status, 409);
    EXPECT_EQ(verbs_.check(), ledger::findings{});
}

TEST_F(OperationsTest, DiscardGivesTheUnitBackAndTellsTheBuyer) {
    const std::int64_t id = dead_letter();
    EXPECT_EQ(post(path(id, "/discard")).status, 400) << "without a reason";
    EXPECT_EQ(taken(), 1);
    const answered done = post(path(id, "/discard"), R"({"reason":"a test order"})");
    EXPECT_EQ(done.status, 200);
    EXPECT_EQ(done.body.at("letter").at("note").as_string(), "a test order");
    EXPECT_EQ(taken(), 0);
    ASSERT_EQ(settled_.size(), 1U);
    EXPECT_EQ(settled_.front().state, sale::order_state::failed);
    EXPECT_EQ(audited(), "letter.discarded");
    EXPECT_EQ(verbs_.check(), ledger::findings{});
    as_buyer(7);
    EXPECT_EQ(get("/orders/" + sale::to_text(settled_.front().no)).body.at("reason").as_string(),
              "discarded");
}

TEST_F(OperationsTest, ShowsTheReconciliation) {
    EXPECT_EQ(get("/admin/reconciliation").status, 503) << "no look yet";
    sale_ = published_sale(10);
    for (std::int64_t buyer = 1; buyer <= 4; ++buyer) buy(buyer, sale_);
    enter_all();
    verbs_.sql("UPDATE sales SET held = held + 1");
    reconciliation_.publish({.at = clock_.now(),
                             .sales = {{.sale = {sale_},
                                        .stock = 10,
                                        .free = 4,
                                        .unpaid = 5,
                                        .differences = {"held says 5, its orders hold 4"},
                                        .wrong_since = clock_.now()}}});
    const answered all = get("/admin/reconciliation");
    EXPECT_EQ(all.body.at("sales").at(0).at("off_by").as_int64(), 1);

    EXPECT_EQ(post("/admin/reconcile", R"({"sale_id":999})").status, 404);
    const answered one = post("/admin/reconcile", fmt::format(R"({{"sale_id":{}}})", sale_));
    EXPECT_EQ(one.body.at("balance").at("unpaid").as_int64(), 4);
    EXPECT_FALSE(one.body.at("balance").at("differences").as_array().empty());
    EXPECT_EQ(one.body.as_object().count("done"), 0U);
    EXPECT_EQ(verbs_.held({sale_}), 5) << "asking changes nothing";
}

TEST_F(OperationsTest, ARepairNeedsANoteAndIsAudited) {
    sale_ = published_sale(10);
    verbs_.sql("UPDATE sales SET held = held + 1");
    const auto repair = [&](const char* rest) {
        return post("/admin/reconcile", fmt::format(R"({{"sale_id":{},{}}})", sale_, rest));
    };
    EXPECT_EQ(repair(R"("repair":true)").status, 422);
    EXPECT_EQ(repair(R"("repair":1,"note":"x")").status, 400);
    EXPECT_EQ(verbs_.held({sale_}), 1) << "nothing was repaired";
    const answered done = repair(R"("repair":true,"note":"by hand")");
    EXPECT_FALSE(done.body.at("done").as_array().empty());
    EXPECT_TRUE(done.body.at("open").as_array().empty());
    EXPECT_TRUE(done.body.at("balance").at("differences").as_array().empty());
    EXPECT_EQ(verbs_.held({sale_}), 0);
    const auto line = get("/admin/audit").body.at("lines").at(0);
    EXPECT_EQ(line.at("action").as_string(), "sale.repaired");
    EXPECT_EQ(line.at("who").as_int64(), 1);
    EXPECT_EQ(line.at("address").as_string(), "192.0.2.1");
    EXPECT_EQ(line.at("details").at("after").at("note").as_string(), "by hand");
}

TEST_F(OperationsTest, ListsAlerts) {
    alarms_.raise(alarm::kind::disk, "data", "little room", clock_.now());
    const answered all = get("/admin/alerts");
    EXPECT_EQ(all.body.at("alerts").at(0).at("alert").as_string(), "disk");
    alarms_.clear(alarm::kind::disk, "data", clock_.now());
    EXPECT_TRUE(get("/admin/alerts").body.at("alerts").as_array().empty());
}

TEST_F(OperationsTest, WarmUpOfAllShowsItsProgress) {
    EXPECT_FALSE(get("/admin/warm-up").body.at("running").as_bool());
    published_sale(3);
    published_sale(4);
    EXPECT_EQ(post("/admin/warm-up").body.at("sales").as_array().size(), 2U);
    const answered after = get("/admin/warm-up");
    EXPECT_EQ(after.body.at("done").as_int64(), 2);
    EXPECT_FALSE(after.body.at("running").as_bool());
    how_->before = [this, first = true]() mutable {  // it has asked the ledger for the sales
        if (!std::exchange(first, false)) return;
        EXPECT_TRUE(get("/admin/warm-up").body.at("running").as_bool());
        EXPECT_EQ(post("/admin/warm-up").status, 409) << "one at a time";
    };
    EXPECT_EQ(post("/admin/warm-up").status, 200);
}

TEST_F(OperationsTest, AnAdminSeesAnyOrder) {
    const std::int64_t sale = published_sale(1);
    const std::string no = sale::to_text(buy(7, sale).order);
    enter_all();
    EXPECT_EQ(get("/admin/orders/" + no).body.at("buyer_id").as_int64(), 7);
    EXPECT_EQ(get("/admin/orders/1").status, 404);
}

}  // namespace
}  // namespace floodgate::api
