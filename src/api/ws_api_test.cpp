#include "api/ws_api.hpp"

#include "api/handler_fixture.hpp"
#include "guard/tokens.hpp"

namespace floodgate::api {
namespace {

class WsApiTest : public HandlerTest {
protected:
    void SetUp() override {
        as_buyer(42);
        next_.token = guard::new_token();
        log_in(next_.token);
    }
    void log_in(const std::string& token) {
        sessions_.add({.hash = guard::hash_of(token),
                       .user = {42},
                       .expires_at = clock_.now() + milliseconds(20'000)});
    }
    void log_out() { sessions_.remove(guard::hash_of(next_.token)); }
    std::string ticket() {
        const answered r = post("/ws/ticket");
        EXPECT_EQ(r.status, 201);
        return std::string(r.body.at("ticket").as_string());
    }
    bool opens(const std::string& ticket) {
        return redeem_ticket(with_, ticket, clock_.now()).has_value();
    }
};

TEST_F(WsApiTest, IssuesATicketForWhoeverAsks) {
    const answered r = post("/ws/ticket");
    EXPECT_EQ(r.status, 201);
    EXPECT_EQ(r.body.at("expires_at").as_string(), to_iso(clock_.now() + milliseconds(30'000)));
    const std::string ticket(r.body.at("ticket").as_string());
    const guard::ticket_holder buyer{{42}, guard::hash_of(next_.token)};
    EXPECT_EQ(redeem_ticket(with_, ticket, clock_.now()), buyer);
    EXPECT_EQ(redeem_ticket(with_, ticket, clock_.now()), std::nullopt);
}

TEST_F(WsApiTest, ATicketEndsWithItsLogIn) {
    const std::string before = ticket(), unused = ticket();
    EXPECT_TRUE(opens(before));
    log_out();
    EXPECT_FALSE(opens(unused));
    log_in(next_.token);
    EXPECT_FALSE(opens(unused)) << "it was used up";
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
        EXPECT_EQ(hash, guard::hash_of(next_.token));
        return guard::identity{{42}, sale::role::buyer};
    };
    EXPECT_TRUE(opens(known));
    for (const errc why : {errc::not_found, errc::store_unavailable}) {
        node_.find_elsewhere = [why](const sale::token_hash&, instant) -> result<guard::identity> {
            return make_error_code(why);
        };
        EXPECT_FALSE(opens(why == errc::not_found ? unknown : unanswered));
    }
}

TEST_F(WsApiTest, OneUserGetsSoManyTicketsAndThenOneASecond) {
    for (int i = 0; i < 20; ++i) EXPECT_EQ(post("/ws/ticket").status, 201);
    const answered r = post("/ws/ticket");
    EXPECT_EQ(r.status, 429);
    EXPECT_EQ(r.code(), "too_many_requests");
    EXPECT_EQ(r.body.at("retry_after_ms").as_int64(), 1000);
    as_buyer(43);
    EXPECT_EQ(post("/ws/ticket").status, 201) << "others are not held up";
    as_buyer(42);
    clock_.advance(milliseconds(1000));
    EXPECT_EQ(post("/ws/ticket").status, 201);
}

}  // namespace
}  // namespace floodgate::api
