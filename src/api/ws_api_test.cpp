#include "api/ws_api.hpp"

#include "api/handler_fixture.hpp"
#include "guard/tokens.hpp"

namespace floodgate::api {
namespace {

class WsApiTest : public HandlerTest {
protected:
    void SetUp() override {
        as_buyer(42);
        next_.login = guard::hash_of(guard::new_token());
        log_in();
    }
    void log_in() {
        sessions_.add(
            {.hash = next_.login, .user = {42}, .expires_at = clock_.now() + milliseconds(20'000)});
    }
    void log_out() { sessions_.remove(next_.login); }
    std::string ticket() {
        const answered r = post("/ws/ticket");
        EXPECT_EQ(r.status, 201);
        return std::string(r.body.at("ticket").as_string());
    }
    bool opens(const std::string& ticket) {
        return redeem_ticket(with_, ticket, clock_.now()).value().has_value();
    }
};

TEST_F(WsApiTest, IssuesATicketForWhoeverAsks) {
    const answered r = post("/ws/ticket");
    EXPECT_EQ(r.status, 201);
    EXPECT_EQ(r.body.at("expires_at").as_string(), to_iso(clock_.now() + milliseconds(30'000)));
    const std::string ticket(r.body.at("ticket").as_string());
    const guard::ticket_holder buyer{{42}, next_.login};
    EXPECT_EQ(redeem_ticket(with_, ticket, clock_.now()).value(), buyer);
    EXPECT_EQ(redeem_ticket(with_, ticket, clock_.now()).value(), std::nullopt);
}

TEST_F(WsApiTest, ATicketEndsWithItsLogIn) {
    const std::string before = ticket(), unused = ticket();
    EXPECT_TRUE(opens(before));
    log_out();
    EXPECT_FALSE(opens(unused));
    log_in();
    EXPECT_FALSE(opens(unused)) << "it was used up";
}

TEST_F(WsApiTest, ATicketIsNotRefusedWhileTheStoreCannotBeAsked) {
    const std::string good = ticket();
    tickets_.away = true;
    EXPECT_EQ(redeem_ticket(with_, good, clock_.now()).error(), errc::store_unavailable);
    tickets_.away = false;
    EXPECT_TRUE(opens(good));
}

TEST_F(WsApiTest, ATicketIsRefusedOnceItsLogInHasExpired) {
    const std::string early = ticket(), late = ticket();
    clock_.advance(milliseconds(19'999));
    EXPECT_TRUE(opens(early));
    clock_.advance(milliseconds(1));
    EXPECT_FALSE(opens(late));
}

TEST_F(WsApiTest, AnotherNodeIsAskedForALogInThatThisOneDoesNotKnow) {
    const std::string known = ticket(), unknown = ticket(), unanswered = ticket();
    log_out();
    node_.find_elsewhere = [&](const sale::token_hash& hash, instant) -> result<guard::identity> {
        EXPECT_EQ(hash, next_.login);
        return guard::identity{{42}, sale::role::buyer};
    };
    EXPECT_TRUE(opens(known));
    auto why = errc::not_found;
    node_.find_elsewhere = [&](const sale::token_hash&, instant) -> result<guard::identity> {
        return make_error_code(why);
    };
    EXPECT_FALSE(opens(unknown));
    why = errc::store_unavailable;
    EXPECT_EQ(redeem_ticket(with_, unanswered, clock_.now()).error(), errc::store_unavailable);
}

}  // namespace
}  // namespace floodgate::api
