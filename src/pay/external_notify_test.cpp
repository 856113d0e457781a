#include "pay/external_notify.hpp"

#include <gtest/gtest.h>

#include "store/http/message_signature.hpp"

namespace floodgate::pay {
namespace {

using namespace std::chrono_literals;

constexpr const char* notify_secret = "an-external-secret-of-32-letters";
constexpr const char* paid_body = R"({"order_no":"382100000000000123","amount_fen":9900})";
// printf '1800000000.PAID_BODY' | openssl dgst -sha256 -hmac NOTIFY_SECRET
constexpr const char* paid_signature =
    "v1=ed8cddf68713fd2f3e4dfc610916c8d20f4f301fcb5dfac523554ba97f08b24b";

class ExternalNotifyTest : public testing::Test {
protected:
    message read(const raw_message& m) const { return read_external_notify(m, secrets, now); }
    // A body that the shop has signed.
    message read_signed(const std::string& body, const std::string& by = notify_secret) const {
        const std::string at = store::message_timestamp(now);
        const std::string signature = store::message_signature(by, at, body);
        return read({.content_type = "application/json",
                     .body = body,
                     .timestamp = at,
                     .signature = signature});
    }
    static raw_message genuine() {
        return {.content_type = "application/json",
                .body = paid_body,
                .timestamp = "1800000000",
                .signature = paid_signature};
    }

    instant now = from_ms(1'800'000'000'000);
    std::vector<shared_secret> secrets{shared_secret::from_text(notify_secret, "")};
};

TEST_F(ExternalNotifyTest, AMessageThatOpensslSignedIsUnderstood) {
    const message m = read(genuine());
    EXPECT_EQ(m.fault, "");
    EXPECT_EQ(m.order, sale::order_no{382'100'000'000'000'123});
    EXPECT_EQ(m.says, trade::paid);
    EXPECT_EQ(m.amount, sale::fen{9900});
    EXPECT_EQ(m.channel_no, "");
    raw_message again = genuine();
    again.content_type = "Application/JSON; charset=utf-8";
    EXPECT_EQ(read(again).fault, "") << "replayed: it says the same";
}

TEST_F(ExternalNotifyTest, WhileTheSecretIsChangedEitherSigns) {
    const std::string next(32, 'n'), third(32, 't');
    EXPECT_EQ(read_signed(paid_body, next).fault, "bad_signature");
    secrets.insert(secrets.begin(), shared_secret::from_text(next, ""));
    EXPECT_EQ(read_signed(paid_body, next).fault, "");
    EXPECT_EQ(read(genuine()).fault, "") << "the old one";
    EXPECT_EQ(read_signed(paid_body, third).fault, "bad_signature");
    raw_message m = genuine();
    m.signature = "";
    EXPECT_EQ(read(m).fault, "without_signature");
    now += 6min;
    EXPECT_EQ(read(genuine()).fault, "stale");
    secrets.pop_back();
    now -= 6min;
    EXPECT_EQ(read(genuine()).fault, "bad_signature") << "the change is over";
}

TEST_F(ExternalNotifyTest, WhatIsNotSignedByTheShopSaysNothing) {
    const auto with = [&](auto change) {
        raw_message m = genuine();
        change(m);
        return read(m);
    };
    const std::string cut = std::string(paid_signature).substr(0, 40);
    const std::string cut_body = std::string(paid_body).substr(0, 30);
    EXPECT_EQ(with([](auto& m) { m.content_type = "text/plain"; }).fault, "wrong_content_type");
    EXPECT_EQ(with([](auto& m) { m.content_type = ""; }).fault, "wrong_content_type");
    EXPECT_EQ(with([](auto& m) { m.timestamp = ""; }).fault, "without_signature");
    EXPECT_EQ(with([](auto& m) { m.signature = ""; }).fault, "without_signature");
    EXPECT_EQ(with([](auto& m) { m.signature.remove_prefix(3); }).fault, "bad_signature");
    EXPECT_EQ(with([&](auto& m) { m.signature = cut; }).fault, "bad_signature");
    EXPECT_EQ(with([](auto& m) { m.timestamp = "noon"; }).fault, "bad_signature");
    EXPECT_EQ(with([](auto& m) { m.timestamp = "1800000001"; }).fault, "bad_signature");
    EXPECT_EQ(with([&](auto& m) { m.body = cut_body; }).fault, "bad_signature");
    EXPECT_EQ(with([](auto& m) { m.body = ""; }).fault, "bad_signature");
    const message other_key = read_signed(paid_body, std::string(32, 'k'));
    EXPECT_EQ(other_key.fault, "bad_signature");
    EXPECT_EQ(other_key.order, sale::order_no{});
    EXPECT_EQ(other_key.says, trade::unsure);
}

TEST_F(ExternalNotifyTest, EveryFlippedByteOfTheBodyIsSeen) {
    for (std::size_t i = 0; i < std::string(paid_body).size(); ++i) {
        std::string altered = paid_body;
        altered[i] = static_cast<char>(altered[i] ^ 1);
        raw_message m = genuine();
        m.body = altered;
        EXPECT_EQ(read(m).fault, "bad_signature") << altered;
    }
}

TEST_F(ExternalNotifyTest, AnOldMessageIsStale) {
    now += 5min;
    EXPECT_EQ(read(genuine()).fault, "");
    now += 1ms;
    EXPECT_EQ(read(genuine()).fault, "stale");
    now -= 10min + 2ms;
    EXPECT_EQ(read(genuine()).fault, "stale") << "from the future";
}

TEST_F(ExternalNotifyTest, AMessageHasALimit) {
    const std::string tail = R"(,"amount_fen":1})";
    const std::string head = R"({"order_no":")";
    std::string body = head;
    body.append(external_notify_bytes_max - head.size() - tail.size() - 1, '1').append("\"" + tail);
    ASSERT_EQ(body.size(), external_notify_bytes_max);
    EXPECT_EQ(read_signed(body).fault, "other_order");
    EXPECT_EQ(read_signed(body + " ").fault, "too_long");
}

// Signed, but the shop has made a mistake.
TEST_F(ExternalNotifyTest, SignedNonsenseIsNamed) {
    for (const char* wrong :
         {"", "{", "null", "[]", "{}", R"({"order_no":"1"})", R"({"amount_fen":9900})",
          R"({"order_no":"1","amount_fen":"9900"})", R"({"order_no":"1","amount_fen":99.5})",
          R"({"order_no":"1","amount":9900})", R"({"order_no":"1","amount_fen":9900} x)",
          R"({"order_no":"1","amount_fen":18446744073709551615})",
          R"({"order_no":"1","amount_fen":9900,"paid":false})"})
        EXPECT_EQ(read_signed(wrong).fault, "malformed") << wrong;
    for (const char* wrong :
         {R"({"order_no":"","amount_fen":9900})", R"({"order_no":"abc","amount_fen":9900})",
          R"({"order_no":7,"amount_fen":9900})", R"({"order_no":"-1","amount_fen":9900})"})
        EXPECT_EQ(read_signed(wrong).fault, "other_order") << wrong;
    for (const char* wrong :
         {R"({"order_no":"1","amount_fen":0})", R"({"order_no":"1","amount_fen":-9900})"})
        EXPECT_EQ(read_signed(wrong).fault, "bad_amount") << wrong;
}

// Both sides sign with the same secret: whoever reads the shop's mail must not be able to pay with
// it. The address of the cashier is signed over another kind of text.
TEST_F(ExternalNotifyTest, OurOwnQuestionsSentBackSayNothing) {
    for (const char* event : {"query", "close", "refund"})
        EXPECT_EQ(read_signed(std::string(R"({"event":")") + event +
                              R"(","order_no":"382100000000000123","amount_fen":9900,)"
                              R"("sent_at":"2027-01-15T08:00:00.000Z"})")
                      .fault,
                  "malformed");
    raw_message m = genuine();
    m.body = "order_no=382100000000000123&amount_fen=9900&expires_at=1800000900";
    m.signature = "v1=d8ff89382c39d66f5135b23fdd1ed0d714173ed3dbdccbf274d3332be26fd636";
    EXPECT_EQ(read(m).fault, "bad_signature");
}

}  // namespace
}  // namespace floodgate::pay
