#include "http/request_desk.hpp"

#include <boost/json/parse.hpp>

#include <gtest/gtest.h>

#include "api/handler_fixture.hpp"
#include "guard/tokens.hpp"

namespace floodgate::http {
namespace {

using std::chrono::seconds;

class RequestDeskTest : public api::HandlerTest {
protected:
    std::string log_in(std::int64_t user, sale::role role = sale::role::buyer) {
        std::string token = guard::new_token();
        sessions_.add({guard::hash_of(token), {user}, role, clock_.now() + std::chrono::hours(1)});
        return token;
    }
    // Makes the token known on other nodes only.
    void know_elsewhere(const std::string& token, std::int64_t user) {
        elsewhere_[guard::hash_of(token)] = user;
        node_.find_elsewhere = [this](const sale::token_hash& asked,
                                      instant) -> result<guard::identity> {
            ++asked_elsewhere_;
            const auto found = elsewhere_.find(asked);
            if (found == elsewhere_.end()) return make_error_code(missing_);
            sessions_.add(
                {asked, {found->second}, sale::role::buyer, clock_.now() + std::chrono::hours(1)});
            return guard::identity{{found->second}, sale::role::buyer};
        };
    }
    decision decide(const request& r, searched where = searched::here) {
        return desk_.decide(r, client_, api::language::en, clock_.now(), where);
    }
    // Decides as the loop does for a token that other nodes may know.
    decision decide_to_the_end(const request& r) {
        decision d = decide(r);
        if (const auto* q = std::get_if<token_question>(&d)) {
            d = decide(r, desk_.search_elsewhere(q->hash, clock_.now()));
        }
        return d;
    }
    static int status(const decision& d) {
        const auto* r = std::get_if<api::reply>(&d);
        return r ? r->status : 0;
    }
    static request buying(const std::string& token) {
        return {.verb = api::verb::post, .path = "/api/v1/sales/7/orders", .token = token};
    }
    static request moving(const std::string& verb, const std::string& token) {
        static std::string path;  // which the request refers to
        path = "/api/v1/orders/7/" + verb;
        return {.verb = api::verb::post, .path = path, .token = token};
    }
    static request getting(std::string_view path, std::string_view token = {}) {
        return {.verb = api::verb::get, .path = path, .token = token};
    }

    guard::trusted_proxies proxies_{std::vector<std::string>{"127.0.0.1"}};
    errc missing_ = errc::not_found;  // the answer for a token that no node knows
    guard::unknown_tokens unknown_;
    request_desk desk_{with_, proxies_, unknown_};
    remote client_{guard::parse_address("192.0.2.9").value(), false};
    std::map<sale::token_hash, std::int64_t> elsewhere_;
    int asked_elsewhere_ = 0;
    const std::string made_up_ = std::string(guard::token_characters, 'x');
};

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

TEST_F(RequestDeskTest, LimitsAnAddressButNotAProxyOfOurs) {
    const std::string token = log_in(5);
    for (int i = 0; i < 6; ++i) EXPECT_EQ(status(decide(buying(token))), 0) << i;
    EXPECT_EQ(status(decide(buying(token))), 429);
    client_ = {guard::parse_address("127.0.0.1").value(), true};
    EXPECT_EQ(status(decide(buying(token))), 0);
    request forwarded = buying(token);
    forwarded.forwarded_for = "192.0.2.9";
    EXPECT_EQ(status(decide(forwarded)), 429) << "the client behind the proxy";
}

// Regression M9: such a client counted as the proxy, which is exempt from limits.
TEST_F(RequestDeskTest, LimitsAProxyThatForwardsWhatCannotBeRead) {
    const std::string token = log_in(5);
    client_ = {guard::parse_address("127.0.0.1").value(), true};
    request r = buying(token);
    for (int i = 0; i < 6; ++i) {
        r.forwarded_for = i % 2 == 0 ? "garbage" : "9.9.9.8, unknown";
        EXPECT_EQ(status(decide(r)), 0) << i;
    }
    EXPECT_EQ(status(decide(r)), 429);
    r.forwarded_for = "";
    EXPECT_EQ(status(decide(r)), 0) << "the proxy itself is not limited";
    r.forwarded_for = "192.0.2.77:4711";
    EXPECT_EQ(status(decide(r)), 0) << "nor is somebody else behind it";
    request trying = getting("/api/v1/auth/login");
    trying.verb = api::verb::post;
    trying.forwarded_for = "garbage";
    const decision d = decide(trying);
    ASSERT_TRUE(std::holds_alternative<pool_job>(d));
    EXPECT_FALSE(std::get<pool_job>(d).call.client_is_trusted_proxy);
    EXPECT_TRUE(std::get<pool_job>(d).first);
}

// Regression M3, M4.
TEST_F(RequestDeskTest, LimitsWhatAUserLooksUpAndMoves) {
    const std::string token = log_in(5), other = log_in(6);
    for (int i = 0; i < 200; ++i)
        ASSERT_EQ(status(decide(getting(i % 2 == 0 ? "/api/v1/orders" : "/api/v1/me", token))), 0);
    EXPECT_EQ(status(decide(getting("/api/v1/orders/7", token))), 429);
    EXPECT_EQ(status(decide(getting("/api/v1/me", token))), 429);
    EXPECT_EQ(status(decide(getting("/api/v1/me", other))), 0) << "somebody else";
    EXPECT_EQ(status(decide(moving("cancel", token))), 0) << "moves have a limit of their own";

    for (int i = 1; i < 100; ++i) ASSERT_EQ(status(decide(moving("pay", token))), 0);
    const decision refused = decide(moving("refund", token));
    ASSERT_EQ(status(refused), 429);
    EXPECT_NE(std::get<api::reply>(refused).body.find("\"retry_after_ms\":10000"),
              std::string::npos);
    clock_.advance(milliseconds(10'000));
    EXPECT_EQ(status(decide(moving("refund", token))), 0);
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

TEST_F(RequestDeskTest, LetsTheAddressPayOnceForAPurchaseWhoseLogInIsElsewhere) {
    for (std::int64_t user = 1; user <= 6; ++user) {
        const std::string token = guard::new_token();
        know_elsewhere(token, user);
        EXPECT_TRUE(std::holds_alternative<sale::attempt>(decide_to_the_end(buying(token))))
            << user;
    }
    EXPECT_EQ(status(decide(buying(log_in(7)))), 429);
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

TEST_F(RequestDeskTest, LimitsAnAddressBeforeTheOtherNodesAreAsked) {
    know_elsewhere(guard::new_token(), 5);
    for (int i = 0; i < 6; ++i)
        EXPECT_EQ(status(decide_to_the_end(getting("/api/v1/me", guard::new_token()))), 401);
    EXPECT_EQ(status(decide_to_the_end(getting("/api/v1/me", guard::new_token()))), 429);
    EXPECT_EQ(asked_elsewhere_, 6);
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
    r.query = "ticket=abc&since=x";
    EXPECT_EQ(status(decide(r)), 400);
    r.query = "ticket=abc&since=9";
    const decision d = decide(r);
    ASSERT_TRUE(std::holds_alternative<socket_question>(d));
    EXPECT_EQ(std::get<socket_question>(d).ticket, "abc");
    EXPECT_EQ(std::get<socket_question>(d).since, 9);
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

}  // namespace
}  // namespace floodgate::http
