#include "pay/wechat_notify.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <functional>

#include "pay/beijing_time.hpp"
#include "pay/test_data.hpp"

namespace floodgate::pay {
namespace {

using namespace std::chrono_literals;

struct notify_parts {
    std::string event = "TRANSACTION.SUCCESS";
    std::string mchid = "1900000001", appid = "wx0000000000000001";
    std::string number = "382100000000000123";
    std::string state = "SUCCESS";
    std::string amount = R"({"total":9900,"payer_total":9000,"currency":"CNY"})";
    std::string key = "platform", serial = "FIRST";
    std::function<void(std::string& body)> alter = [](std::string&) {};  // before it is signed
};

class WechatNotifyTest : public testing::Test {
protected:
    static std::string content_of(const notify_parts& p) {
        if (p.event.starts_with("REFUND."))
            return fmt::format(R"({{"mchid":"{}","out_trade_no":"{}","transaction_id":"42",)"
                               R"("out_refund_no":"NR1","refund_status":"{}","amount":{}}})",
                               p.mchid, p.number, p.state, p.amount);
        return fmt::format(R"({{"mchid":"{}","appid":"{}","out_trade_no":"{}",)"
                           R"("transaction_id":"42","trade_state":"{}","amount":{}}})",
                           p.mchid, p.appid, p.number, p.state, p.amount);
    }
    std::string body_of(const notify_parts& p) const {
        const wechat_resource r =
            encrypt_resource(content_of(p), shared, "0123456789ab", "transaction");
        std::string body =
            fmt::format(R"({{"id":"EV-1","event_type":"{}","resource_type":"encrypt-resource",)"
                        R"("resource":{{"algorithm":"{}","ciphertext":"{}","associated_data":"{}",)"
                        R"("nonce":"{}"}}}})",
                        p.event, r.algorithm, r.ciphertext, r.associated_data, r.nonce);
        p.alter(body);
        return body;
    }
    wechat_seal seal_of(const std::string& body, const notify_parts& p) const {
        return sign_wechat_message(body, {"", p.serial, test_private_key(p.key)}, now, "n0nce");
    }
    message read(const std::string& body, const wechat_seal& seal,
                 const char* type = "application/json") const {
        return read_wechat_notify({.content_type = type,
                                   .body = body,
                                   .timestamp = seal.timestamp,
                                   .nonce = seal.nonce,
                                   .signature = seal.signature,
                                   .serial = seal.serial},
                                  {mch, app, platform, shared}, now);
    }
    message read(const notify_parts& p) const {
        const std::string body = body_of(p);
        return read(body, seal_of(body, p));
    }
    std::string fault(const notify_parts& p) const { return read(p).fault; }

    const instant now = *parse_beijing_text("2026-11-17 12:00:00");
    const std::string mch = "1900000001", app = "wx0000000000000001";
    const keys_by_serial platform{{"FIRST", test_public_key("platform")},
                                  {"PUB_KEY_ID_1", test_public_key("other")}};
    const apiv3_key shared = apiv3_key::from_text(test_data("test_only_apiv3_key.txt"));
};

TEST_F(WechatNotifyTest, TellsOfAPayment) {
    const message m = read({});
    EXPECT_EQ(m.fault, "");
    EXPECT_EQ(m.order.value, 382'100'000'000'000'123U);
    EXPECT_EQ(m.says, trade::paid);
    EXPECT_EQ(m.amount.value, 9900);
    EXPECT_EQ(m.channel_no, "42");
    EXPECT_EQ(fault({.key = "other", .serial = "PUB_KEY_ID_1"}), "");
}

TEST_F(WechatNotifyTest, TellsOfRefunds) {
    const std::string all = R"({"total":9900,"refund":9900})";
    const std::string part = R"({"total":9900,"refund":1})";
    const auto says = [&](const char* event, const char* status, const std::string& amount) {
        const message m = read({.event = event, .state = status, .amount = amount});
        EXPECT_EQ(m.fault, "");
        EXPECT_EQ(m.amount.value, 9900);
        EXPECT_EQ(m.refund.value().number, "NR1");
        EXPECT_EQ(m.refund.value().amount.value, amount == all ? 9900 : 1);
        EXPECT_FALSE(m.refund.value().is_sum);
        return std::pair(m.refund.value().says, m.says);
    };
    using enum refund_answer;
    EXPECT_EQ(says("REFUND.SUCCESS", "SUCCESS", all), std::pair(done, trade::closed));
    EXPECT_EQ(says("REFUND.SUCCESS", "SUCCESS", part), std::pair(done, trade::unsure));
    EXPECT_EQ(says("REFUND.SUCCESS", "PROCESSING", all), std::pair(unsure, trade::unsure));
    EXPECT_EQ(says("REFUND.ABNORMAL", "ABNORMAL", all), std::pair(abnormal, trade::unsure));
    EXPECT_EQ(says("REFUND.CLOSED", "CLOSED", all), std::pair(closed, trade::unsure));
    EXPECT_FALSE(read({}).refund) << "a payment";
}

TEST_F(WechatNotifyTest, WhatIsNotForUsIsRefusedByName) {
    EXPECT_EQ(fault({.event = "COUPON.USE"}), "unknown_event");
    EXPECT_EQ(fault({.mchid = "1900000002"}), "other_merchant");
    EXPECT_EQ(fault({.appid = "wx2"}), "other_app");
    EXPECT_EQ(fault({.number = "order-1"}), "other_order");
    EXPECT_EQ(fault({.amount = R"({"total":"9900","currency":"CNY"})"}), "bad_amount");
    EXPECT_EQ(fault({.amount = R"({"total":0,"currency":"CNY"})"}), "bad_amount");
    EXPECT_EQ(fault({.amount = R"({"total":9900,"currency":"USD"})"}), "other_currency");
    EXPECT_EQ(fault({.amount = R"({"total":9900})"}), "other_currency");
    EXPECT_EQ(fault({.state = "NOTPAY"}), "unknown_status");
    EXPECT_EQ(fault({.event = "REFUND.SUCCESS", .mchid = "1900000002"}), "other_merchant");
    for (const char* amount : {R"({"total":9900})", R"({"total":9900,"refund":0})"})
        EXPECT_EQ(fault({.event = "REFUND.SUCCESS", .amount = amount}), "bad_amount");
}

TEST_F(WechatNotifyTest, WhatThePlatformDidNotSignIsRefused) {
    EXPECT_EQ(fault({.key = "other"}), "bad_signature");
    EXPECT_EQ(fault({.serial = "SECOND"}), "unknown_serial");
    const std::string body = body_of({});
    wechat_seal seal = seal_of(body, {});
    EXPECT_EQ(read(body + " ", seal).fault, "bad_signature");
    seal.signature[10] ^= 1;
    EXPECT_EQ(read(body, seal).fault, "bad_signature");
    seal.signature = "WECHATPAY/SIGNTEST/abc";
    EXPECT_EQ(read(body, seal).fault, "probe");
    seal.signature = "";
    EXPECT_EQ(read(body, seal).fault, "without_signature");
    const wechat_seal early =
        sign_wechat_message(body, {"", "FIRST", test_private_key("platform")}, now - 300s, "n");
    EXPECT_EQ(read(body, early).fault, "stale");
}

TEST_F(WechatNotifyTest, WhatCannotBeOpenedIsRefused) {
    const std::string body = body_of({});
    EXPECT_EQ(read(body, seal_of(body, {}), "text/plain").fault, "wrong_content_type");
    const std::string vast(wechat_notify_bytes_max + 1, ' ');
    EXPECT_EQ(read(vast, seal_of(vast, {})).fault, "too_long");
    const auto altered = [&](std::string_view from, const char* to) {
        notify_parts p;
        p.alter = [=](std::string& text) { text.replace(text.find(from), from.size(), to); };
        return fault(p);
    };
    EXPECT_EQ(altered("AEAD_AES_256_GCM", "AEAD_SM4_GCM"), "wrong_algorithm");
    EXPECT_EQ(altered("0123456789ab", "0123456789ac"), "bad_cipher");
    EXPECT_EQ(altered(R"("associated_data":"t)", R"("associated_data":"T)"), "bad_cipher");
    EXPECT_EQ(altered(R"("resource":)", R"("other":)"), "malformed");
    EXPECT_EQ(altered("{", "["), "malformed");
}

}  // namespace
}  // namespace floodgate::pay
