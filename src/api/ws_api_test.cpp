#include "api/ws_api.hpp"

#include "api/handler_fixture.hpp"

namespace floodgate::api {
namespace {

class WsApiTest : public HandlerTest {};

TEST_F(WsApiTest, IssuesATicketForWhoeverAsks) {
    as_buyer(42);
    const answered r = post("/ws/ticket");
    EXPECT_EQ(r.status, 201);
    EXPECT_EQ(r.body.at("expires_at").as_string(), to_iso(clock_.now() + milliseconds(30'000)));
    const std::string ticket(r.body.at("ticket").as_string());
    EXPECT_EQ(tickets_.redeem(ticket, clock_.now()), sale::user_id{42});
    EXPECT_EQ(tickets_.redeem(ticket, clock_.now()), std::nullopt);
}

}  // namespace
}  // namespace floodgate::api
