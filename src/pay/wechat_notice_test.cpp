#include "pay/wechat_notice.hpp"

#include <gtest/gtest.h>

#include "pay/test_data.hpp"

namespace floodgate::pay {
namespace {

const instant paid_at = from_ms(1'794'736'866'000);

apiv3_key shared_key() { return apiv3_key::from_text(test_data("test_only_apiv3_key.txt")); }

wechat_notice paid_notice() {
    wechat_notice notice{
        "EV-1", "2026-11-15T18:01:06+08:00", "TRANSACTION.SUCCESS", "支付成功", "transaction", {}};
    notice.resource = {wechat_cipher_name, test_data("wechat_resource.sealed"), "0123456789ab",
                       "transaction"};
    return notice;
}

// Signed by the platform as it is, and opened by the merchant.
opened_notice opened(const std::string& body, const std::string& by = "platform") {
    const wechat_seal seal =
        sign_wechat_message(body, {"", "SERIAL", test_private_key(by)}, paid_at, "n");
    return open_wechat_notice(body, seal, {{"SERIAL", test_public_key("platform")}}, shared_key(),
                              paid_at);
}

std::string with(const std::string& from, const std::string& to) {
    std::string body = to_json(paid_notice());
    EXPECT_NE(body.find(from), std::string::npos) << from;
    return body.replace(body.find(from), from.size(), to);
}

TEST(WechatNotice, ComesBackAsItWent) {
    const std::string body = to_json(paid_notice());
    const auto read = parse_wechat_notice(body);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->id, "EV-1");
    EXPECT_EQ(read->event_type, "TRANSACTION.SUCCESS");
    EXPECT_EQ(read->original_type, "transaction");
    EXPECT_EQ(read->summary, "支付成功");
    EXPECT_EQ(to_json(*read), body);
    EXPECT_TRUE(
        body.starts_with(R"({"id":"EV-1","create_time":"2026-11-15T18:01:06+08:00",)"
                         R"("resource_type":"encrypt-resource","event_type":"TRANSACTION.SUCCESS",)"
                         R"("summary":"支付成功","resource":{"original_type":"transaction",)"
                         R"("algorithm":"AEAD_AES_256_GCM","ciphertext":")"))
        << body;
}

TEST(WechatNotice, IsOpenedToWhatWasEncrypted) {
    const opened_notice read = opened(to_json(paid_notice()));
    EXPECT_EQ(read.how, authenticity::genuine);
    EXPECT_EQ(read.content, test_data("wechat_resource.text"));
    EXPECT_EQ(read.notice.id, "EV-1");
}

TEST(WechatNotice, MayLackWhatIsNotNeededAndHaveMore) {
    EXPECT_EQ(opened(with(R"("summary":"支付成功",)", "")).how, authenticity::genuine);
    EXPECT_EQ(opened(with(R"("create_time":"2026-11-15T18:01:06+08:00",)", R"("new":[1],)")).how,
              authenticity::genuine);
    wechat_notice notice = paid_notice();
    notice.resource = encrypt_resource("{}", shared_key(), "0123456789ab", "");
    std::string body = to_json(notice);
    body.erase(body.find(R"("associated_data":"",)"), 21);
    EXPECT_EQ(opened(body).how, authenticity::genuine) << "a missing one is an empty one";
    EXPECT_EQ(opened(body).content, "{}");
}

TEST(WechatNotice, IsRefusedByTheFirstCheckThatFails) {
    EXPECT_EQ(opened(to_json(paid_notice()), "other").how, authenticity::bad_signature);
    EXPECT_EQ(opened("not even JSON", "other").how, authenticity::bad_signature)
        << "nothing is parsed before it is verified";
    EXPECT_EQ(opened("not even JSON").how, authenticity::malformed);
    EXPECT_EQ(opened(with("AEAD_AES_256_GCM", "AEAD_SM4_GCM")).how, authenticity::wrong_algorithm);
    EXPECT_EQ(opened(with(R"("nonce":"0123456789ab")", R"("nonce":"0123456789aB")")).how,
              authenticity::bad_cipher);
    EXPECT_EQ(opened(with(R"("nonce":"0123456789ab")", R"("nonce":"0123456789")")).how,
              authenticity::malformed);
    EXPECT_EQ(
        opened(with(R"("associated_data":"transaction")", R"("associated_data":"refund")")).how,
        authenticity::bad_cipher);

    const opened_notice tampered =
        opened(with(R"("nonce":"0123456789ab")", R"("nonce":"0123456789aB")"));
    EXPECT_EQ(tampered.notice.id, "EV-1") << "for the journal";
    EXPECT_EQ(tampered.content, "");
}

TEST(WechatNotice, IsReadInNoOtherForm) {
    for (const std::string& bad :
         {std::string(), std::string("null"), std::string("[]"), std::string("{}"),
          std::string(R"({"resource":{}})"), to_json(paid_notice()) + "x",
          with(R"("id":"EV-1")", R"("id":1)"), with(R"("id":"EV-1")", R"("id":"")"),
          with(R"("id":"EV-1",)", ""), with(R"("event_type")", R"("event")"),
          with(R"("algorithm")", R"("algorithms")"), with(R"("ciphertext")", R"("cipher")"),
          with(R"("nonce")", R"("once")"), with(R"("summary":"支付成功")", R"("summary":null)"),
          with(R"("associated_data":"transaction")", R"("associated_data":{})"),
          with(R"("resource":{)", R"("resource":[],"other":{)")})
        EXPECT_FALSE(parse_wechat_notice(bad)) << bad;
}

TEST(WechatNotice, HasALimit) {
    const std::string body = to_json(paid_notice());
    const std::string full = body + std::string(wechat_notice_bytes_max - body.size(), ' ');
    EXPECT_EQ(opened(full).how, authenticity::genuine);
    EXPECT_EQ(opened(full + " ").how, authenticity::malformed);
    EXPECT_EQ(opened(full + " ", "other").how, authenticity::malformed) << "and not even hashed";
    EXPECT_FALSE(parse_wechat_notice(full + " "));
}

}  // namespace
}  // namespace floodgate::pay
