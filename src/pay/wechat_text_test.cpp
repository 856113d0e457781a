#include "pay/wechat_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "pay/test_data.hpp"

namespace floodgate::pay {
namespace {

using std::chrono::seconds;

const instant ordered_at = from_ms(1'794'736'800'000);
const instant notified_at = from_ms(1'794'736'866'000);

// The line of a vector from `number` on, without the last line end: a body may hold line ends.
std::string rest_from_line(const std::string& name, int number) {
    std::string text = test_data(name);
    for (int i = 0; i < number; ++i) text.erase(0, text.find('\n') + 1);
    text.pop_back();
    return text;
}

const std::string& order_body() {
    static const std::string body = rest_from_line("wechat_request.text", 4);
    return body;
}
wechat_request native_order() { return {"POST", "/v3/pay/transactions/native", order_body()}; }
wechat_signer merchant() {
    return {"1900000001", test_line("test_only_merchant.serial.txt"), test_private_key("merchant")};
}
wechat_signer platform() {
    return {"", test_line("test_only_platform.serial.txt"), test_private_key("platform")};
}

wechat_seal order_seal() {
    return sign_wechat_request(native_order(), merchant(), ordered_at,
                               "593BEC0C930BF1AFEB40B4A08C8FB242");
}
wechat_seal notify_seal() {
    return {"", platform().serial, "1794736866", "c5ac7061fccab6bf3e254dcf98995b8c",
            test_data("wechat_notify.sign")};
}
std::string notify_body() { return rest_from_line("wechat_notify.text", 2); }

keys_by_serial known_keys() {
    keys_by_serial keys;
    for (const std::string name : {"merchant", "platform"})
        keys.emplace(test_line("test_only_" + name + ".serial.txt"), test_public_key(name));
    return keys;
}

authenticity judged_order(const wechat_request& r, const wechat_seal& seal,
                          instant now = ordered_at) {
    return verify_wechat_request(r, seal, known_keys(), now);
}
authenticity judged_notify(const std::string& body, const wechat_seal& seal,
                           instant now = notified_at) {
    return verify_wechat_message(body, seal, known_keys(), now);
}

TEST(WechatRequest, IsSignedAsOpensslDoes) {
    const wechat_seal seal = order_seal();
    EXPECT_EQ(wechat_request_text(native_order(), seal), test_data("wechat_request.text"));
    EXPECT_EQ(seal.signature, test_data("wechat_request.sign"));
    EXPECT_EQ(seal.timestamp, "1794736800");
    EXPECT_EQ(judged_order(native_order(), seal), authenticity::genuine);
}

TEST(WechatRequest, WithoutABodyEndsWithAnEmptyLine) {
    const wechat_request ask{"GET", "/v3/pay/transactions/out-trade-no/FG1?mchid=1900000001", ""};
    const wechat_seal seal = sign_wechat_request(ask, merchant(), ordered_at, "n");
    EXPECT_EQ(wechat_request_text(ask, seal),
              "GET\n/v3/pay/transactions/out-trade-no/FG1?mchid=1900000001\n1794736800\nn\n\n");
    EXPECT_EQ(judged_order(ask, seal), authenticity::genuine);
}

TEST(WechatRequest, IsRefusedWhenAnythingIsDifferent) {
    const wechat_seal seal = order_seal();
    wechat_request r = native_order();
    r.method = "PUT";
    EXPECT_EQ(judged_order(r, seal), authenticity::bad_signature);
    r = native_order();
    r.target = "/v3/pay/transactions/native?";
    EXPECT_EQ(judged_order(r, seal), authenticity::bad_signature);
    const std::string longer = order_body() + " ";
    r = {native_order().method, native_order().target, longer};
    EXPECT_EQ(judged_order(r, seal), authenticity::bad_signature);
    r.body = "";
    EXPECT_EQ(judged_order(r, seal), authenticity::bad_signature);

    wechat_seal other = seal;
    other.nonce += "0";
    EXPECT_EQ(judged_order(native_order(), other), authenticity::bad_signature);
    other = seal;
    other.timestamp = "1794736801";
    EXPECT_EQ(judged_order(native_order(), other), authenticity::bad_signature);
    other = seal;
    other.serial = platform().serial;
    EXPECT_EQ(judged_order(native_order(), other), authenticity::bad_signature);
    other.serial = test_line("test_only_other.serial.txt");
    EXPECT_EQ(judged_order(native_order(), other), authenticity::unknown_serial);
}

TEST(WechatAuthorization, ComesBackAsItWent) {
    const wechat_seal seal = order_seal();
    const std::string header = to_authorization(seal);
    EXPECT_EQ(header,
              "WECHATPAY2-SHA256-RSA2048 mchid=\"1900000001\","
              "nonce_str=\"593BEC0C930BF1AFEB40B4A08C8FB242\",timestamp=\"1794736800\","
              "serial_no=\"" +
                  seal.serial + "\",signature=\"" + seal.signature + "\"");
    EXPECT_EQ(parse_authorization(header), seal);
}

TEST(WechatAuthorization, HasItsFieldsInAnyOrder) {
    const wechat_seal expected{"m", "s", "1", "n", "g=="};
    std::vector<std::string> fields{R"(mchid="m")", R"(nonce_str="n")", R"(serial_no="s")",
                                    R"(signature="g==")", R"(timestamp="1")"};
    int orders = 0;
    do {
        std::string header = "WECHATPAY2-SHA256-RSA2048 ";
        for (const std::string& field : fields)
            header += field + (field == fields.back() ? "" : orders % 2 == 0 ? "," : ", ");
        EXPECT_EQ(parse_authorization(header), expected) << header;
        ++orders;
    } while (std::next_permutation(fields.begin(), fields.end()));
    EXPECT_EQ(orders, 120);
}

TEST(WechatAuthorization, IsReadInNoOtherForm) {
    const std::string scheme = "WECHATPAY2-SHA256-RSA2048 ";
    const std::string four = R"(mchid="m",nonce_str="n",serial_no="s",signature="g")";
    const std::string good = scheme + four + R"(,timestamp="1")";
    ASSERT_TRUE(parse_authorization(good));
    for (std::size_t size = 0; size < good.size(); ++size)
        EXPECT_FALSE(parse_authorization(good.substr(0, size))) << "cut off after " << size;
    for (const std::string& bad : {"Bearer " + four,
                                   "WECHATPAY2-SM2-WITH-SM3 " + four + R"(,timestamp="1")",
                                   "wechatpay2-sha256-rsa2048 " + four + R"(,timestamp="1")",
                                   good + ",",
                                   good + " ",
                                   good + R"(,mchid="m")",
                                   good + R"(,other="x")",
                                   scheme + four + R"(,mchid="m")",
                                   scheme + four + R"(,timestamp="")",
                                   scheme + four + R"(,timestamp=1)",
                                   scheme + four + R"(,timestamp="1)",
                                   scheme + four + R"( timestamp="1")",
                                   scheme + four + R"(,Timestamp="1")",
                                   scheme + four + R"(,timestamp ="1")",
                                   scheme + four + R"(,timestamp="1 2")",
                                   scheme + four + "," + R"(timestamp="\"1")",
                                   scheme + four + ",timestamp=\"1\n\"",
                                   scheme + four + ",timestamp=\"\xE7\"",
                                   scheme + "," + four + R"(,timestamp="1")",
                                   scheme + four + R"(,,timestamp="1")",
                                   scheme + four + R"(,timestamp="1")" + std::string(5000, ' '),
                                   scheme + four + ",timestamp=\"" + std::string(3000, '1') + "\""})
        EXPECT_FALSE(parse_authorization(bad)) << bad.substr(0, 200);
}

TEST(WechatNotify, IsVerifiedAsOpensslSignedIt) {
    EXPECT_EQ(wechat_message_text(notify_body(), notify_seal()), test_data("wechat_notify.text"));
    EXPECT_EQ(judged_notify(notify_body(), notify_seal()), authenticity::genuine);
    EXPECT_EQ(sign_wechat_message(notify_body(), platform(), notified_at + milliseconds(999),
                                  "c5ac7061fccab6bf3e254dcf98995b8c"),
              notify_seal());
}

TEST(WechatReply, WithoutABodyIsSignedToo) {
    wechat_seal seal = notify_seal();
    seal.signature = test_data("wechat_empty.sign");
    EXPECT_EQ(wechat_message_text("", seal), test_data("wechat_empty.text"));
    EXPECT_EQ(judged_notify("", seal), authenticity::genuine);
    EXPECT_EQ(judged_notify(" ", seal), authenticity::bad_signature);
}

TEST(WechatNotify, IsRefusedWhenAnythingIsDifferent) {
    const std::string body = notify_body();
    for (std::size_t i = 0; i < body.size(); i += 5) {
        std::string altered = body;
        altered[i] = altered[i] == 'x' ? 'y' : 'x';
        EXPECT_EQ(judged_notify(altered, notify_seal()), authenticity::bad_signature) << i;
    }
    EXPECT_EQ(judged_notify(body + "\n", notify_seal()), authenticity::bad_signature);
    EXPECT_EQ(judged_notify("", notify_seal()), authenticity::bad_signature);

    wechat_seal seal = notify_seal();
    seal.signature[9] = seal.signature[9] == 'A' ? 'B' : 'A';
    EXPECT_EQ(judged_notify(body, seal), authenticity::bad_signature);
    seal = notify_seal();
    seal.signature = "not base64";
    EXPECT_EQ(judged_notify(body, seal), authenticity::bad_signature);
    seal = notify_seal();
    seal.nonce = "c5ac7061fccab6bf3e254dcf98995b8d";
    EXPECT_EQ(judged_notify(body, seal), authenticity::bad_signature);
    seal = sign_wechat_message(body, {"", platform().serial, test_private_key("other")},
                               notified_at, "n");
    EXPECT_EQ(judged_notify(body, seal), authenticity::bad_signature) << "another key";
}

TEST(WechatNotify, NeedsAllItsHeaders) {
    for (std::string wechat_seal::*part :
         {&wechat_seal::serial, &wechat_seal::timestamp, &wechat_seal::nonce}) {
        for (const std::string& bad : {std::string(), std::string("a b"), std::string("1\n2"),
                                       std::string(129, '1'), std::string("\xE7\xB2")}) {
            wechat_seal seal = notify_seal();
            seal.*part = bad;
            EXPECT_EQ(judged_notify(notify_body(), seal), authenticity::malformed) << bad;
        }
    }
    wechat_seal seal = notify_seal();
    seal.signature = "";
    EXPECT_EQ(judged_notify(notify_body(), seal), authenticity::without_signature);
    seal.signature = std::string(2049, 'A');
    EXPECT_EQ(judged_notify(notify_body(), seal), authenticity::malformed);
    EXPECT_EQ(judged_notify("", {}), authenticity::without_signature);
    for (const char* time :
         {"-1794736866", "+1794736866", "1794736866.0", "0x6AF9", "17947368660", "1794736866a"}) {
        seal = notify_seal();
        seal.timestamp = time;
        EXPECT_EQ(judged_notify(notify_body(), seal), authenticity::malformed) << time;
    }
}

TEST(WechatNotify, IsRefusedFiveMinutesAwayFromOurClock) {
    const auto judged_at = [](instant now) {
        return judged_notify(notify_body(), notify_seal(), now);
    };
    EXPECT_EQ(judged_at(notified_at + seconds(299)), authenticity::genuine);
    EXPECT_EQ(judged_at(notified_at - seconds(299)), authenticity::genuine);
    EXPECT_EQ(judged_at(notified_at + milliseconds(299'999)), authenticity::genuine);
    EXPECT_EQ(judged_at(notified_at + seconds(300)), authenticity::stale);
    EXPECT_EQ(judged_at(notified_at - seconds(300)), authenticity::stale);
    EXPECT_EQ(judged_at(notified_at + seconds(86'400)), authenticity::stale);
    EXPECT_EQ(judged_at(from_ms(0)), authenticity::stale);
}

TEST(WechatNotify, IsVerifiedByTheKeyOfItsSerial) {
    keys_by_serial rotating;
    rotating.emplace("OLD", test_public_key("other"));
    rotating.emplace("PUB_KEY_ID_0119000000012026111500000000000001", test_public_key("platform"));
    const auto judged_with = [&](const wechat_signer& by) {
        const wechat_seal seal = sign_wechat_message("{}", by, notified_at, "n");
        return verify_wechat_message("{}", seal, rotating, notified_at);
    };
    const private_key old = test_private_key("other"), fresh = test_private_key("platform");
    const std::string fresh_serial = "PUB_KEY_ID_0119000000012026111500000000000001";
    EXPECT_EQ(judged_with({"", "OLD", old}), authenticity::genuine);
    EXPECT_EQ(judged_with({"", fresh_serial, fresh}), authenticity::genuine);
    EXPECT_EQ(judged_with({"", "OLD", fresh}), authenticity::bad_signature);
    EXPECT_EQ(judged_with({"", fresh_serial, old}), authenticity::bad_signature);
    EXPECT_EQ(judged_with({"", "NEVER_SEEN", fresh}), authenticity::unknown_serial);
    EXPECT_EQ(judged_with({"", "old", old}), authenticity::unknown_serial);
    rotating.clear();
    EXPECT_EQ(judged_with({"", fresh_serial, fresh}), authenticity::unknown_serial);
}

TEST(WechatNotify, ThatProbesUsIsRefused) {
    wechat_seal seal = notify_seal();
    seal.signature = "WECHATPAY/SIGNTEST/" + seal.signature;
    EXPECT_EQ(judged_notify(notify_body(), seal), authenticity::probe);
    seal.signature = "WECHATPAY/SIGNTEST/";
    EXPECT_EQ(judged_notify(notify_body(), seal), authenticity::probe);
    seal.serial = "NEVER_SEEN";
    EXPECT_EQ(judged_notify(notify_body(), seal, from_ms(0)), authenticity::probe);
}

}  // namespace
}  // namespace floodgate::pay
