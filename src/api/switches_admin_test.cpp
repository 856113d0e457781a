// The switches: what stops, who still can, and what stays.

#include "api/handler_fixture.hpp"
#include "sale/order_number.hpp"

namespace floodgate::api {
namespace {

class SwitchesTest : public HandlerTest {
protected:
    answered turn(const std::string& what) {
        return put("/admin/switches", "{" + what + R"(,"reason":"a bad night"})");
    }
    answered log_in(const std::string& phone) {
        return post("/auth/login", R"({"phone":")" + phone + R"(","password":"correct horse"})");
    }
    void add(const std::string& phone, sale::role role) {
        const auto id = book_.users().add({.id = {},
                                           .phone = phone,
                                           .nickname = "Someone",
                                           .password_hash = passwords_.hash("correct horse"),
                                           .role = role,
                                           .created_at = clock_.now()});
        ASSERT_TRUE(id);
    }
};

TEST_F(SwitchesTest, AreShownChangedOneByOneAndAudited) {
    const answered first = get("/admin/switches");
    EXPECT_TRUE(first.body.at("sales").as_bool());
    EXPECT_FALSE(first.body.as_object().contains("changed_at"));
    const answered off = turn(R"("refunds":false)");
    EXPECT_EQ(off.status, 200);
    EXPECT_FALSE(off.body.at("refunds").as_bool());
    EXPECT_TRUE(off.body.at("logins").as_bool());
    const answered now = get("/admin/switches");
    EXPECT_EQ(now.body.at("reason").as_string(), "a bad night");
    EXPECT_EQ(now.body.at("changed_by").as_int64(), 1);
    const auto line = get("/admin/audit").body.at("lines").at(0);
    EXPECT_EQ(line.at("action").as_string(), "switches.changed");
    EXPECT_EQ(line.at("details").at("after").as_object().size(), 1U) << "what changed";
    EXPECT_FALSE(line.at("details").at("after").at("refunds").as_bool());
    EXPECT_EQ(line.at("details").at("why").as_string(), "a bad night");
}

TEST_F(SwitchesTest, NeedAReasonAndTruthValues) {
    EXPECT_EQ(put("/admin/switches", R"({"sales":false})").status, 400);
    EXPECT_EQ(put("/admin/switches", R"({"sales":false,"reason":" "})").status, 400);
    EXPECT_EQ(put("/admin/switches", R"({"sales":0,"reason":"x"})").status, 400);
    EXPECT_EQ(put("/admin/switches", R"({"everything":false,"reason":"x"})").status, 400);
    EXPECT_TRUE(get("/admin/switches").body.at("sales").as_bool());
}

TEST_F(SwitchesTest, WithoutLogInsOnlyStaffComesIn) {
    add("13800000001", sale::role::buyer);
    add("13800000002", sale::role::admin);
    EXPECT_EQ(log_in("13800000001").status, 200);
    turn(R"("logins":false)");
    const answered refused = log_in("13800000001");
    EXPECT_EQ(refused.status, 423);
    EXPECT_EQ(refused.code(), "switched_off");
    EXPECT_EQ(log_in("13800000099").code(), "switched_off") << "an unknown number";
    EXPECT_EQ(log_in("13800000002").status, 200);
    turn(R"("logins":true)");
    EXPECT_EQ(log_in("13800000001").status, 200);
}

TEST_F(SwitchesTest, WithoutRegistrationThereAreNoNewAccounts) {
    const std::string body =
        R"({"phone":"13800000003","password":"correct horse","nickname":"Li"})";
    turn(R"("registration":false)");
    EXPECT_EQ(post("/auth/register", body).code(), "switched_off");
    turn(R"("registration":true)");
    EXPECT_EQ(post("/auth/register", body).status, 201);
}

TEST_F(SwitchesTest, WithoutRefundsOnlyStaffGivesMoneyBack) {
    const std::int64_t sale = published_sale(1);
    const std::string no = sale::to_text(buy(7, sale).order);
    enter_all();
    turn(R"("refunds":false)");
    as_buyer(7);
    EXPECT_EQ(post("/orders/" + no + "/refund").code(), "switched_off");
    as_admin();
    EXPECT_EQ(post("/admin/orders/" + no + "/refund", R"({"reason":"x"})").code(), "conflict")
        << "it is not paid; but the switch does not concern staff";
    turn(R"("refunds":true)");
    as_buyer(7);
    EXPECT_EQ(post("/orders/" + no + "/refund").code(), "conflict");
}

}  // namespace
}  // namespace floodgate::api
