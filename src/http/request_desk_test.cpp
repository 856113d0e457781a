#include <boost/json/parse.hpp>

#include "api/routes.hpp"
#include "api/second_factor_api.hpp"
#include "http/request_desk_fixture.hpp"

namespace floodgate::http {
namespace {

TEST_F(RequestDeskTest, MakesAnAttemptOfAPurchase) {
    const std::string token = log_in(5);
    request r = buying(token);
    r.body = R"({"quantity":2})";
    const decision d = decide(r);
    ASSERT_TRUE(std::holds_alternative<sale::attempt>(d));
    const auto& a = std::get<sale::attempt>(d);
    EXPECT_EQ(a.sale.value, 7);
    EXPECT_EQ(a.buyer.value, 5);
    EXPECT_EQ(a.quantity, 2U);
}

TEST_F(RequestDeskTest, WantsALogInWhereTheRouteNeedsOne) {
    EXPECT_EQ(status(decide(buying(""))), 401);
    EXPECT_EQ(status(decide(buying(made_up_))), 401);
    EXPECT_EQ(status(decide(getting("/api/v1/me"))), 401);
    EXPECT_EQ(status(decide(getting("/api/v1/admin/sales"))), 401);
    EXPECT_EQ(status(decide(getting("/api/v1/admin/sales", log_in(5)))), 403);
}

TEST_F(RequestDeskTest, SendsAdminsToAPoolOfTheirOwn) {
    const decision d = decide(getting("/api/v1/admin/sales/17", log_in(1, sale::role::admin)));
    ASSERT_TRUE(std::holds_alternative<pool_job>(d));
    const auto& job = std::get<pool_job>(d);
    EXPECT_EQ(job.where, api::pool::admin);
    EXPECT_EQ(job.call.ids, std::vector<std::int64_t>{17});
    EXPECT_EQ(job.call.user.value, 1);
}

TEST_F(RequestDeskTest, TellsAnUnknownPathFromAWrongVerb) {
    EXPECT_EQ(status(decide(getting("/api/v1/nothing"))), 404);
    const decision d = decide(getting("/api/v1/sales/7/orders"));
    EXPECT_EQ(status(d), 405);
    EXPECT_EQ(std::get<api::reply>(d).headers, "Allow: POST\r\n");
}

TEST_F(RequestDeskTest, AnswersItselfWhatNeverWaits) {
    ASSERT_TRUE(showcase_.reload());
    EXPECT_EQ(status(decide(getting("/healthz"))), 200);
    EXPECT_EQ(status(decide(getting("/api/v1/time"))), 200);
    EXPECT_EQ(status(decide(getting("/api/v1/rounds"))), 200);
    EXPECT_EQ(status(decide(getting("/api/v1/sales/7"))), 404);
    EXPECT_EQ(status(decide(getting("/api/v1/openapi.json"))), 200);
    EXPECT_EQ(status(decide(getting("/readyz"))), 503) << "nobody has looked yet";
    operators_.look(clock_.now());
    EXPECT_EQ(status(decide(getting("/readyz"))), 200);
}

TEST_F(RequestDeskTest, HasOneMetricsPageMadeForACrowdOfAskers) {
    const decision first = decide(getting("/metrics"));
    ASSERT_TRUE(std::holds_alternative<pool_job>(first));
    EXPECT_EQ(std::get<pool_job>(first).where, api::pool::admin) << "not among the buyers";
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(status(decide(getting("/metrics"))), 200);
    clock_.advance(seconds(1));
    EXPECT_TRUE(std::holds_alternative<pool_job>(decide(getting("/metrics"))));
}

TEST_F(RequestDeskTest, ShowsOperatorsCallsAtTheirDoorOnly) {
    request_desk public_desk{with_, proxies_, unknown_, api::door::no_operators};
    const std::string admin = log_in(1, sale::role::admin);
    const auto ask = [&](api::verb v, std::string_view path) {
        return status(public_desk.decide({.verb = v, .path = path, .token = admin}, client_,
                                         api::language::en, clock_.now()));
    };
    for (const char* path : {"/metrics", "/readyz", "/api/v1/admin/sales", "/api/v1/admin/sales/7"})
        for (const api::verb v : {api::verb::get, api::verb::post, api::verb::other})
            EXPECT_EQ(ask(v, path), 404) << path;
    EXPECT_EQ(ask(api::verb::get, "/healthz"), 200);
    EXPECT_EQ(ask(api::verb::post, "/healthz"), 405);
    EXPECT_TRUE(std::holds_alternative<pool_job>(decide(getting("/api/v1/admin/sales", admin))));
}

TEST_F(RequestDeskTest, ShowsRoundsInPagesThatReadersShare) {
    const std::int64_t first = published_sale(5), second = published_sale(5);
    request r = getting("/api/v1/rounds");
    r.query = "limit=1";
    const decision d = decide(r);
    const auto& page = std::get<api::reply>(d);
    const auto shown = boost::json::parse(api::content_of(page));
    EXPECT_EQ(shown.at("rounds").at(0).at("sales").at(0).at("id").as_int64(), first);
    EXPECT_EQ(std::get<api::reply>(decide(r)).shared.whole, page.shared.whole);
    const std::string next = "limit=1&after=" + std::string(shown.at("next").as_string());
    r.query = next;
    const decision after = decide(r);
    const auto rest = boost::json::parse(api::content_of(std::get<api::reply>(after)));
    EXPECT_EQ(rest.at("rounds").at(0).at("sales").at(0).at("id").as_int64(), second);
    EXPECT_FALSE(rest.as_object().contains("next"));
    r.query = "after=7";
    EXPECT_EQ(status(decide(r)), 400);
    const std::string path = "/api/v1/sales/" + std::to_string(first);
    const decision one = decide(getting(path)), same = decide(getting(path));
    EXPECT_EQ(std::get<api::reply>(one).shared.whole, std::get<api::reply>(same).shared.whole);
}

TEST_F(RequestDeskTest, NotesWhatItRefuses) {
    (void)decide(getting("/api/v1/me"));
    EXPECT_TRUE(events_told_.empty()) << "somebody who is not logged in yet";
    (void)decide(getting("/api/v1/orders/7", made_up_));
    (void)decide(getting("/api/v1/admin/sales/8", log_in(5)));
    EXPECT_EQ(events_told_,
              (std::vector<std::string>{
                  "guard.token_refused from=192.0.2.9 route=/api/v1/orders/{no}",
                  "guard.role_denied user=5 from=192.0.2.9 route=/api/v1/admin/sales/{id}"}));
    events_told_.clear();
    const std::string token = log_in(5);
    for (int i = 0; i < 7; ++i) (void)decide(buying(token));
    EXPECT_EQ(events_told_, (std::vector<std::string>{
                                "guard.limited limit=purchase_by_address user=5 from=192.0.2.9 "
                                "route=/api/v1/sales/{id}/orders"}));
}

// Every route for every role, for strangers, for expired log-ins and for those that are not good
// for everything yet.
TEST_F(RequestDeskTest, EveryRouteIsForItsRolesOnly) {
    for (const api::route& route : api::routes()) {
        if (!route.needs_login() || route.here != api::on_loop::no) continue;
        std::string path(route.path);
        if (const auto open = path.find('{'); open != path.npos)
            path.replace(open, path.find('}') + 1 - open, "7");
        const auto ask = [&](const std::string& token) {
            request r = getting(path, token);
            r.verb = route.verb;
            return decide(r);
        };
        EXPECT_EQ(status(ask("")), 401) << path;
        for (const sale::role role : sale::all_roles) {
            if (api::is_for_machines(route.needs)) {
                EXPECT_EQ(status(ask(log_in(1000 + static_cast<int>(role), role))), 401) << path;
                continue;
            }
            const decision d = ask(log_in(1000 + static_cast<int>(role), role));
            if (const auto* job = std::get_if<pool_job>(&d)) {
                EXPECT_EQ(job->work != api::refuse_act, api::may(role, route.needs))
                    << path << " " << sale::to_word(role);
            } else {
                EXPECT_EQ(status(d), 403) << path;
                EXPECT_FALSE(api::may(role, route.needs)) << path << " " << sale::to_word(role);
            }
        }
        const std::string token = guard::new_token();
        sale::login half{
            guard::hash_of(token), {9}, sale::role::admin, clock_.now() + std::chrono::hours(1)};
        for (const auto standing :
             {sale::standing::must_change_password, sale::standing::second_factor_missing}) {
            half.standing = standing;
            sessions_.add(half);
            const bool goes_on = std::holds_alternative<pool_job>(ask(token));
            EXPECT_EQ(goes_on, route.needs == api::access::self) << path;
        }
        half.expires_at = clock_.now();
        sessions_.add(half);
        EXPECT_FALSE(std::holds_alternative<pool_job>(ask(token))) << path;
    }
}

TEST_F(RequestDeskTest, FindsALogInThatAnotherNodeMade) {
    const std::string token = guard::new_token();
    know_elsewhere(token, 5);
    EXPECT_TRUE(std::holds_alternative<token_question>(decide(buying(token))));
    const decision d = decide_to_the_end(buying(token));
    ASSERT_TRUE(std::holds_alternative<sale::attempt>(d));
    EXPECT_EQ(std::get<sale::attempt>(d).buyer.value, 5);
    EXPECT_TRUE(std::holds_alternative<sale::attempt>(decide(buying(token))));
    EXPECT_EQ(asked_elsewhere_, 1);
}

TEST_F(RequestDeskTest, AsksTheOtherNodesAboutAnUnknownTokenOnceInAWhile) {
    know_elsewhere(guard::new_token(), 5);
    EXPECT_EQ(status(decide_to_the_end(getting("/api/v1/me", made_up_))), 401);
    EXPECT_EQ(status(decide(getting("/api/v1/me", made_up_))), 401);
    EXPECT_EQ(status(decide(buying(made_up_))), 401);
    EXPECT_EQ(asked_elsewhere_, 1);
    clock_.advance(seconds(30));
    EXPECT_TRUE(std::holds_alternative<token_question>(decide(buying(made_up_))));
}

// Regression: in an outage of both stores a valid token was called wrong, even half a minute later.
TEST_F(RequestDeskTest, SaysBusyOfATokenThatCouldNotBeLookedUpAndDoesNotRememberIt) {
    know_elsewhere("somebody else's", 9);
    missing_ = errc::store_unavailable;
    const std::string token = guard::new_token();
    EXPECT_EQ(status(decide_to_the_end(buying(token))), 503);
    know_elsewhere(token, 8);
    EXPECT_TRUE(std::holds_alternative<sale::attempt>(decide_to_the_end(buying(token))));
}

TEST_F(RequestDeskTest, AsksTheOtherNodesNothingThatNeedsNoLogIn) {
    know_elsewhere(guard::new_token(), 5);
    ASSERT_TRUE(showcase_.reload());
    for (const char* path : {"/healthz", "/readyz", "/metrics", "/api/v1/time", "/api/v1/rounds",
                             "/api/v1/sales/7", "/api/v1/openapi.json", "/api/v1/ws", "/nothing"})
        EXPECT_FALSE(std::holds_alternative<token_question>(decide(getting(path, made_up_))))
            << path;
    EXPECT_EQ(status(decide(buying("short"))), 401);
}

TEST_F(RequestDeskTest, LetsAClientWaitForItsOrder) {
    const std::string token = log_in(5);
    request r = getting("/api/v1/orders/12", token);
    EXPECT_TRUE(std::holds_alternative<pool_job>(decide(r)));
    r.query = "wait_ms=1000&while=queued";
    const decision d = decide(r);
    ASSERT_TRUE(std::holds_alternative<order_question>(d));
    const auto& q = std::get<order_question>(d);
    EXPECT_EQ(q.order.value, 12U);
    EXPECT_EQ(q.buyer.value, 5);
    EXPECT_EQ(q.wait.time, milliseconds(1000));
    EXPECT_NE(q.otherwise.work, nullptr);
    r.query = "wait_ms=never";
    EXPECT_TRUE(std::holds_alternative<pool_job>(decide(r))) << "the handler says what is wrong";
}

TEST_F(RequestDeskTest, WantsATicketForAWebSocket) {
    request r = getting("/api/v1/ws");
    EXPECT_EQ(status(decide(r)), 401);
    const std::string with_ticket = "ticket=" + made_up_;
    const std::string wrong = with_ticket + "&since=x", right = with_ticket + "&since=9";
    r.query = wrong;
    EXPECT_EQ(status(decide(r)), 400);
    r.query = right;
    const decision d = decide(r);
    ASSERT_TRUE(std::holds_alternative<socket_question>(d));
    EXPECT_EQ(std::get<socket_question>(d).ticket, made_up_);
    EXPECT_EQ(std::get<socket_question>(d).since, 9);
    EXPECT_FALSE(std::get<socket_question>(d).live);
    const std::string live = with_ticket + "&live=1", neither = with_ticket + "&live=2";
    r.query = live;
    EXPECT_TRUE(std::get<socket_question>(decide(r)).live);
    r.query = neither;
    EXPECT_EQ(status(decide(r)), 400);
}

TEST_F(RequestDeskTest, RefusesATicketOfTheWrongLengthAtOnce) {
    request r = getting("/api/v1/ws");
    for (const char* query : {"ticket=abc", "ticket=0123456789abcdef0123456789abcdef0"}) {
        r.query = query;
        EXPECT_EQ(status(decide(r)), 401) << query;
    }
    const std::string told = "guard.ticket_refused from=192.0.2.9 route=/api/v1/ws";
    EXPECT_EQ(events_told_, (std::vector<std::string>{told, told}));
}

TEST_F(RequestDeskTest, HasNoRoomForABodyThatNobodyWillLookAt) {
    const auto room = [&](api::verb verb, std::string_view path, std::string_view token = {}) {
        return desk_.body_room({.verb = verb, .path = path, .token = token}, clock_.now());
    };
    using enum api::verb;
    const std::string buyer = log_in(5), admin = log_in(1, sale::role::admin);
    EXPECT_EQ(room(post, "/api/v1/nothing"), 0U);
    EXPECT_EQ(room(put, "/api/v1/auth/login"), 0U) << "wrong verb";
    EXPECT_EQ(room(get, "/healthz"), 0U);
    EXPECT_EQ(room(post, "/api/v1/auth/login"), 4096U);
    EXPECT_EQ(room(post, "/api/v1/sales/7/orders"), 0U) << "no token";
    EXPECT_EQ(room(post, "/api/v1/sales/7/orders", made_up_), 0U);
    EXPECT_EQ(room(post, "/api/v1/sales/7/orders", buyer), 4096U);
    EXPECT_EQ(room(post, "/api/v1/admin/products", buyer), 0U) << "not an admin";
    EXPECT_GT(room(post, "/api/v1/admin/products", admin), 65'536U);
    know_elsewhere(guard::new_token(), 9);
    EXPECT_EQ(room(post, "/api/v1/admin/products", made_up_), 4096U) << "another node may know it";
}

TEST_F(RequestDeskTest, RefusesABodyThatIsTooLongForItsCall) {
    const std::string long_body(4097, ' ');
    request r{.verb = api::verb::post, .path = "/api/v1/auth/login", .body_bytes = 4097};
    EXPECT_EQ(status(decide(r)), 413) << "thrown away as it came";
    r.body = long_body;
    EXPECT_EQ(status(decide(r)), 413) << "here, since it came in one go";
    const std::string token = log_in(5);
    request purchase = buying(token);
    purchase.body_bytes = 4097;
    EXPECT_EQ(status(decide(purchase)), 413);
    const std::string admin = log_in(1, sale::role::admin);
    r.path = "/api/v1/admin/products";
    r.token = admin;
    EXPECT_TRUE(std::holds_alternative<pool_job>(decide(r)));
}

// A log-in may become known between the head and the body.
TEST_F(RequestDeskTest, DoesNotTakeABodyThatWasThrownAwayForAnEmptyOne) {
    const std::string token = log_in(5);
    request r = buying(token);
    r.body_bytes = 14;
    EXPECT_EQ(status(decide(r)), 503);
}

TEST_F(RequestDeskTest, TakesBodiesInJsonOnly) {
    const request r{.verb = api::verb::post,
                    .path = "/api/v1/auth/login",
                    .content_type = "text/plain",
                    .body = "x"};
    EXPECT_EQ(status(decide(r)), 415);
}

TEST_F(RequestDeskTest, TakesFilesWhereTheyBelong) {
    const std::string admin = log_in(1, sale::role::admin), buyer = log_in(5);
    request r{.verb = api::verb::post, .path = "/api/v1/admin/payments/bills"};
    EXPECT_EQ(desk_.body_room(r, clock_.now()), 0U);
    r.token = buyer;
    EXPECT_EQ(desk_.body_room(r, clock_.now()), 0U);
    r.token = admin;
    EXPECT_EQ(desk_.body_room(r, clock_.now()), 64U << 20);
    r.body = "a,b";
    r.body_bytes = r.body.size();
    for (const char* type : {"text/csv", "text/csv; charset=gbk", "application/octet-stream"}) {
        r.content_type = type;
        EXPECT_TRUE(std::holds_alternative<pool_job>(decide(r))) << type;
    }
    for (const char* type : {"", "application/json", "text/plain"}) {
        r.content_type = type;
        EXPECT_EQ(status(decide(r)), 415) << type;
    }
    r.path = "/api/v1/admin/products";
    r.content_type = "text/csv";
    EXPECT_EQ(status(decide(r)), 415);
}

TEST_F(RequestDeskTest, HandsOutAMessageOfAChannelAsItCame) {
    const std::string body(16'384, 'x');
    request r{.verb = api::verb::post, .path = "/api/v1/payments/wechat/notify"};
    r.content_type = "application/x-whatever";
    r.wechat = {.timestamp = "17", .nonce = "n", .signature = "c2ln", .serial = "AB"};
    r.floodgate.timestamp = "18";
    r.floodgate.signature = "v1=ab";
    EXPECT_EQ(desk_.body_room(r, clock_.now()), body.size());
    r.body = body;
    r.body_bytes = body.size();
    const decision d = decide(r);
    ASSERT_TRUE(std::holds_alternative<pool_job>(d));
    const pool_job& job = std::get<pool_job>(d);
    EXPECT_EQ(job.where, api::pool::messages);
    EXPECT_EQ(job.call.body, body);
    ASSERT_TRUE(job.call.message);
    EXPECT_EQ(job.call.message->content_type, "application/x-whatever");
    EXPECT_EQ(job.call.message->timestamp, "17");
    EXPECT_EQ(job.call.message->nonce, "n");
    EXPECT_EQ(job.call.message->signature, "c2ln");
    EXPECT_EQ(job.call.message->serial, "AB");
    EXPECT_EQ(job.call.message->own_timestamp, "18");
    EXPECT_EQ(job.call.message->own_signature, "v1=ab");
    r.body_bytes = body.size() + 1;
    EXPECT_EQ(status(decide(r)), 413);
    EXPECT_EQ(events_told_, std::vector<std::string>{"guard.message_refused verdict=too_long "
                                                     "from=192.0.2.9 "
                                                     "route=/api/v1/payments/wechat/notify"});
    const decision other = decide(getting("/api/v1/me", log_in(5)));
    EXPECT_FALSE(std::get<pool_job>(other).call.message) << "others do not pay for it";
}

}  // namespace
}  // namespace floodgate::http
