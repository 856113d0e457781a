#include "http/wire.hpp"

#include <boost/json/parse.hpp>

#include <gtest/gtest.h>

#include "sale/order_number.hpp"

namespace floodgate::http {
namespace {

const instant noon = from_ms(1'763'208'000'000);  // 2025-11-15T12:00:00Z

std::string body_of(const std::string& bytes) { return bytes.substr(bytes.find("\r\n\r\n") + 4); }

std::string said(const sale::verdict& v, api::language lang = api::language::en, framing f = {}) {
    std::string out;
    write_verdict(out, v, lang, f);
    return out;
}

TEST(DateLine, IsTheDateOfHttp) {
    date_line line;
    EXPECT_EQ(line.at(noon), "Date: Sat, 15 Nov 2025 12:00:00 GMT\r\n");
    EXPECT_EQ(line.at(noon + milliseconds(1000)), "Date: Sat, 15 Nov 2025 12:00:01 GMT\r\n");
}

TEST(DateLine, MayBeFollowedByWhatNeverChanges) {
    date_line line("Strict-Transport-Security: max-age=1\r\n");
    EXPECT_EQ(line.at(noon),
              "Date: Sat, 15 Nov 2025 12:00:00 GMT\r\nStrict-Transport-Security: max-age=1\r\n");
}

// A purchase is answered in as few bytes as possible: see wire.cpp.
TEST(WriteVerdict, LeavesOutWhatOnlyPagesNeed) {
    for (const auto what : {sale::answer::accepted, sale::answer::sold_out,
                            sale::answer::already_ordered, sale::answer::paused}) {
        const std::string bytes = said({.what = what, .order = {5}});
        EXPECT_NE(bytes.find("X-Content-Type-Options: nosniff\r\n"), std::string::npos);
        EXPECT_EQ(bytes.find("Content-Security-Policy"), std::string::npos);
    }
    date_line line;
    const std::string accepted =
        said({.what = sale::answer::accepted, .order = {1234567890123456789}}, api::language::en,
             {.date = line.at(noon)});
    EXPECT_EQ(accepted.size(), 224U) << accepted;
}

TEST(WriteReply, IsNotToBeFramedOrShownAsAPage) {
    std::string out;
    write_reply(out, {.body = "{}"}, {});
    for (const char* line :
         {"X-Content-Type-Options: nosniff\r\n",
          "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n",
          "Referrer-Policy: no-referrer\r\n", "Cache-Control: no-store\r\n"})
        EXPECT_NE(out.find(line), std::string::npos) << line;
}

TEST(WriteVerdict, AcceptsWithTheOrderNumberAsAString) {
    const std::string bytes = said({.what = sale::answer::accepted, .order = {123456789012345678}});
    EXPECT_TRUE(bytes.starts_with("HTTP/1.1 202 Accepted\r\n"));
    EXPECT_EQ(body_of(bytes), R"({"order_no":"123456789012345678","status":"queued"})");
    EXPECT_NE(bytes.find("Content-Length: " + std::to_string(body_of(bytes).size()) + "\r\n"),
              std::string::npos);
}

TEST(WriteVerdict, GivesEveryAnswerItsStatusAndCode) {
    const std::pair<sale::answer, int> statuses[] = {
        {sale::answer::repeated, 202},        {sale::answer::key_reused, 422},
        {sale::answer::unknown_sale, 404},    {sale::answer::paused, 423},
        {sale::answer::not_started, 403},     {sale::answer::ended, 410},
        {sale::answer::already_ordered, 409}, {sale::answer::over_limit, 422},
        {sale::answer::not_enough, 409},      {sale::answer::sold_out, 409},
        {sale::answer::accepted, 202},        {sale::answer::busy, 503},
        {sale::answer::undecided, 503},       {sale::answer::cooling_down, 409}};
    static_assert(std::size(statuses) == sale::answers, "an answer is missing");
    for (const auto& [answer, status] : statuses) {
        EXPECT_EQ(status_of(answer), status);
        const std::string bytes = said({.what = answer, .order = {5}, .starts_at = noon});
        EXPECT_EQ(bytes.substr(9, 3), std::to_string(status));
        if (status == 202) continue;
        const auto body = boost::json::parse(body_of(bytes)).as_object();
        EXPECT_EQ(body.at("code").as_string(), sale::to_text(answer));
        EXPECT_EQ(body.at("status").as_int64(), status);
    }
}

TEST(WriteVerdict, TellsWhatHelps) {
    const auto field = [](const sale::verdict& v, const char* name) {
        return boost::json::parse(body_of(said(v))).as_object().at(name);
    };
    EXPECT_EQ(field({.what = sale::answer::already_ordered, .order = {77}}, "order_no").as_string(),
              "77");
    EXPECT_EQ(
        field({.what = sale::answer::not_started, .starts_at = noon}, "starts_at").as_string(),
        "2025-11-15T12:00:00.000Z");
    const sale::verdict cooling{.what = sale::answer::cooling_down,
                                .cool_until = noon + milliseconds(1500)};
    EXPECT_EQ(field(cooling, "until").as_string(), "2025-11-15T12:00:01.500Z");
    EXPECT_EQ(field(cooling, "until_ms").as_int64(), to_ms(noon) + 1500);
    const std::string wait = said(cooling, api::language::en, {.now = noon});
    EXPECT_NE(wait.find(R"("retry_after_ms":1500)"), std::string::npos) << wait;
    EXPECT_NE(wait.find("Retry-After: 2\r\n"), std::string::npos) << wait;
    EXPECT_EQ(field({.what = sale::answer::busy}, "retry_after_ms").as_int64(), busy_retry_ms);
    const sale::verdict open{.what = sale::answer::undecided, .order = {78}};
    EXPECT_EQ(field(open, "retry_after_ms").as_int64(), busy_retry_ms);
    EXPECT_EQ(field(open, "order_no").as_string(), "78") << "if it was promised, under this number";
    EXPECT_NE(said(open).find("Retry-After: 1\r\n"), std::string::npos);
}

TEST(WriteVerdict, SpeaksBothLanguages) {
    const std::string en = said({.what = sale::answer::sold_out}, api::language::en);
    const std::string zh = said({.what = sale::answer::sold_out}, api::language::zh);
    EXPECT_NE(en, zh);
    EXPECT_NE(zh.find("\xe5"), std::string::npos) << "some Chinese";
}

TEST(WriteVerdict, SaysGoodbyeWhenTheConnectionCloses) {
    EXPECT_NE(said({.what = sale::answer::accepted, .order = {1}}, api::language::en,
                   {.keep_alive = false})
                  .find("Connection: close\r\n"),
              std::string::npos);
}

TEST(WriteReply, LeavesTheBodyOutForHeadAnd304) {
    std::string head;
    write_reply(head, {.body = "12345"}, {.head_only = true});
    EXPECT_NE(head.find("Content-Length: 5\r\n"), std::string::npos);
    EXPECT_TRUE(head.ends_with("\r\n\r\n"));
    std::string unchanged;
    write_reply(unchanged, {.status = 304}, {});
    EXPECT_EQ(unchanged.find("Content-Length"), std::string::npos);
}

}  // namespace
}  // namespace floodgate::http
