#include "alarm/webhook.hpp"

#include <boost/json/parse.hpp>

#include <gtest/gtest.h>

#include <functional>

#include "base/eventually.hpp"
#include "store/http/message_signature.hpp"
#include "store/http/tiny_http_server.hpp"

namespace floodgate::alarm {
namespace {

using server = store::tiny_http_server;

const instant noon = from_ms(1'800'000'000'123);
const notice backlog_raised{{kind::backlog, "clerk", "100 \"promises\" wait", noon}, false, noon};

webhook_options to(const std::string& url) {
    return {.url = url,
            .secret = "hush",
            .node = 3,
            .allow_private = true,
            .attempts = 3,
            .first_wait = milliseconds(1)};
}

std::string id_of(const server::request& r) {
    return std::string(boost::json::parse(r.body).at("id").as_string());
}

class WebhookTest : public testing::Test {
protected:
    // Sends, and waits until every message is sent or given up.
    webhook::figures deliver(const webhook_options& o, int messages = 1) {
        webhook hook(o, clock_);
        for (int i = 0; i < messages; ++i) hook.send(backlog_raised);
        hook.start();
        EXPECT_TRUE(eventually([&] { return hook.read_figures().waiting == 0; }));
        hook.stop();
        return hook.read_figures();
    }
    manual_clock clock_{noon};
};

TEST(WebhookMessage, SaysWhatHappened) {
    EXPECT_EQ(webhook_body("abc", 3, backlog_raised),
              R"({"id":"abc","alert":"backlog","subject":"clerk",)"
              R"("detail":"100 \"promises\" wait","state":"raised",)"
              R"("since":"2027-01-15T08:00:00.123Z","at":"2027-01-15T08:00:00.123Z","node":3})");
    notice over = backlog_raised;
    over.cleared = true;
    over.at += std::chrono::seconds(61);
    const auto body = boost::json::parse(webhook_body("abc", 3, over));
    EXPECT_EQ(body.at("state"), "cleared");
    EXPECT_EQ(body.at("since"), "2027-01-15T08:00:00.123Z");
    EXPECT_EQ(body.at("at"), "2027-01-15T08:01:01.123Z");
}

TEST_F(WebhookTest, SendsOneSignedMessage) {
    server receiver({server::answer(200)});
    EXPECT_EQ(deliver(to(receiver.url())).sent, 1U);
    const auto got = receiver.requests();
    ASSERT_EQ(got.size(), 1U);
    EXPECT_EQ(got[0].header("Content-Type"), "application/json");
    EXPECT_EQ(got[0].header("Floodgate-Timestamp"), "1800000000");
    EXPECT_EQ(got[0].header("Floodgate-Signature"),
              store::message_signature("hush", "1800000000", got[0].body));
    EXPECT_EQ(boost::json::parse(got[0].body).at("node"), 3);
    EXPECT_EQ((got[0].head + got[0].body).find("hush"), std::string::npos);
}

TEST_F(WebhookTest, TriesAgainUnderTheSameId) {
    server receiver({server::answer(500), server::answer(429), server::answer(204)});
    const auto figures = deliver(to(receiver.url()));
    EXPECT_EQ(figures.sent, 1U);
    EXPECT_EQ(figures.failed, 0U);
    const auto got = receiver.requests();
    ASSERT_EQ(got.size(), 3U);
    EXPECT_EQ(id_of(got[0]), id_of(got[1]));
    EXPECT_EQ(id_of(got[0]), id_of(got[2]));
}

TEST_F(WebhookTest, GivesEachMessageAnIdOfItsOwn) {
    server receiver({server::answer(200)});
    EXPECT_EQ(deliver(to(receiver.url()), 2).sent, 2U);
    const auto got = receiver.requests();
    ASSERT_EQ(got.size(), 2U);
    EXPECT_NE(id_of(got[0]), id_of(got[1]));
}

TEST_F(WebhookTest, GivesUpAfterItsTries) {
    server receiver({server::answer(503)});
    EXPECT_EQ(deliver(to(receiver.url())).failed, 1U);
    EXPECT_EQ(receiver.requests().size(), 3U);
}

TEST_F(WebhookTest, TakesNoForAnAnswer) {
    for (const int status : {301, 302, 307, 400, 401, 404, 410}) {
        server elsewhere({server::answer(200)});
        server receiver({server::answer(status, "Location: " + elsewhere.url() + "\r\n")});
        EXPECT_EQ(deliver(to(receiver.url())).failed, 1U) << status;
        EXPECT_EQ(receiver.requests().size(), 1U) << status;
        EXPECT_TRUE(elsewhere.requests().empty()) << status;
    }
}

TEST_F(WebhookTest, GoesToNoPrivateAddressUnlessAllowed) {
    server receiver({server::answer(200)});
    webhook_options o = to(receiver.url());
    o.allow_private = false;
    EXPECT_EQ(deliver(o).failed, 1U);
    EXPECT_TRUE(receiver.requests().empty());
}

TEST_F(WebhookTest, DoesNotWaitForeverForAnAnswer) {
    server receiver({server::silence, server::answer(200)});
    webhook_options o = to(receiver.url());
    o.timeout = milliseconds(2000);  // the second try has to succeed within it too
    EXPECT_EQ(deliver(o).sent, 1U);
    EXPECT_EQ(receiver.requests().size(), 2U);
}

TEST_F(WebhookTest, DropsTheOldestPastItsLimit) {
    server receiver({server::answer(200)});
    webhook_options o = to(receiver.url());
    o.queue_max = 2;
    webhook hook(o, clock_);
    for (const char* subject : {"one", "two", "three"}) {
        notice n = backlog_raised;
        n.what.subject = subject;
        hook.send(n);
    }
    EXPECT_EQ(hook.read_figures().dropped, 1U);
    EXPECT_EQ(hook.read_figures().waiting, 2U);
    hook.start();
    EXPECT_TRUE(eventually([&] { return hook.read_figures().waiting == 0; }));
    const auto got = receiver.requests();
    ASSERT_EQ(got.size(), 2U);
    EXPECT_EQ(boost::json::parse(got[0].body).at("subject"), "two");
    EXPECT_EQ(boost::json::parse(got[1].body).at("subject"), "three");
}

TEST_F(WebhookTest, StopsWhileItWaitsForTheNextTry) {
    server receiver({server::answer(500)});
    webhook_options o = to(receiver.url());
    o.first_wait = std::chrono::hours(1);
    webhook hook(o, clock_);
    hook.send(backlog_raised);
    hook.start();
    ASSERT_TRUE(eventually([&] { return !receiver.requests().empty(); }));
    hook.stop();
    EXPECT_EQ(hook.read_figures().failed, 1U);
}

TEST_F(WebhookTest, RefusesAddressesAndSecretsItCannotUse) {
    webhook_options o = to("https://me:hush@example.com/");
    EXPECT_THROW(webhook(o, clock_), std::runtime_error);
    o = to("ftp://example.com/");
    EXPECT_THROW(webhook(o, clock_), std::runtime_error);
    o = to("https://example.com/");
    o.secret.clear();
    EXPECT_THROW(webhook(o, clock_), std::runtime_error);
}

}  // namespace
}  // namespace floodgate::alarm
