// The points service over a real socket: what it refuses, and every implementation of the port that
// the contract of ../points is tested with here.

#include "commands/points_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "points/accounts_fixture.hpp"
#include "points/remote_accounts.hpp"
#include "points/wire.hpp"
#include "store/http/http_caller.hpp"

namespace floodgate::commands {
namespace {

const std::string points_secret = "vutsrqponmlkjihgfedcba9876543210";
const std::string anywhere = "127.0.0.1:0";

// Accounts that are reached over HTTP, with the server that serves them.
class served_accounts {
public:
    explicit served_accounts(points::account_book& book)
        : server_(book, {anywhere, points_secret}) {}

    points::accounts& remote() { return remote_; }

private:
    points_server server_;
    store::curl_caller caller_{{.total = milliseconds(60'000), .allow_private = true}};
    points::remote_accounts remote_{{server_.address(), points_secret}, caller_};
};

class PointsServerTest : public testing::Test {
protected:
    store::http_answer ask(const std::string& verb, const std::string& path,
                           const std::string& secret, const std::string& body = "") {
        return caller_.ask({.verb = verb,
                            .url = server_.address() + path,
                            .headers = {{"Authorization", "Bearer " + secret}},
                            .body = body});
    }

    store::scratch_directory directory_;
    std::unique_ptr<store::database> db_ = store::test_databases().front().open(directory_);
    points::account_book book_{*db_};
    points_server server_{book_, {anywhere, points_secret}};
    store::curl_caller caller_{{.total = milliseconds(60'000), .allow_private = true}};
};

TEST_F(PointsServerTest, IsHealthyForEverybodyAndAnswersOnlyThoseWithTheSecret) {
    EXPECT_EQ(ask("GET", "/healthz", "").body, "ok\n");
    for (const std::string& path : {std::string("/"), std::string(points::path::balance_of)}) {
        const store::http_answer refused = ask("POST", path, "wrong", R"({"user":7})");
        EXPECT_EQ(refused.status, 401) << path;
        EXPECT_EQ(refused.body, R"({"error":"unauthorized"})");
        EXPECT_EQ(refused.header("WWW-Authenticate"), "Bearer");
    }
    const store::http_answer without = caller_.ask(
        {.verb = "POST", .url = server_.address() + points::path::balance_of, .body = "{}"});
    EXPECT_EQ(without.status, 401);
    EXPECT_EQ(ask("POST", points::path::balance_of, points_secret, R"({"user":7})").status, 200);
}

TEST_F(PointsServerTest, RefusesWhatIsNoCall) {
    EXPECT_EQ(ask("GET", points::path::balance_of, points_secret).status, 405);
    EXPECT_EQ(ask("POST", "/v1/nothing", points_secret, "{}").status, 404);
    EXPECT_EQ(ask("POST", points::path::balance_of, points_secret, "{rubbish").status, 400);
    const std::string least = R"({"user":7})";
    const std::string fits(points::request_bytes_max - least.size(), ' ');
    EXPECT_EQ(ask("POST", points::path::balance_of, points_secret, least + fits).status, 200);
    EXPECT_EQ(ask("POST", points::path::balance_of, points_secret, least + fits + " ").status, 413);
    EXPECT_EQ(ask("POST", points::path::balance_of, points_secret, least).status, 200)
        << "it serves on";
}

TEST_F(PointsServerTest, AClientWithAnotherSecretDoesNotKnowWhatBecameOfItsCalls) {
    points::remote_accounts wrong({server_.address(), "another"}, caller_);
    EXPECT_TRUE(points::is(wrong.balance_of({7}), errc::store_unavailable));
    EXPECT_TRUE(
        points::is(wrong.cancel({1}, points::kind::spend, points::noon), errc::store_unavailable));
    EXPECT_EQ(book_.state_of({1}, points::kind::spend).value(), std::nullopt);
}

}  // namespace
}  // namespace floodgate::commands

std::vector<floodgate::points::accounts_kind> floodgate::points::every_accounts() {
    std::vector<accounts_kind> all;
    for (store::database_kind& database : store::test_databases())
        all.push_back({"RemoteOver" + database.name, std::move(database.open),
                       [](account_book& book) -> std::shared_ptr<accounts> {
                           auto served = std::make_shared<commands::served_accounts>(book);
                           return {served, &served->remote()};
                       }});
    return all;
}
