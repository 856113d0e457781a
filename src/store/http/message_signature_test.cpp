#include "store/http/message_signature.hpp"

#include <gtest/gtest.h>

namespace floodgate::store {
namespace {

using namespace std::chrono_literals;

constexpr const char* body = R"({"order_no":"382100000000000123","amount_fen":9900})";
constexpr const char* secret = "an-external-secret-of-32-letters";
constexpr const char* signed_body =
    "v1=ed8cddf68713fd2f3e4dfc610916c8d20f4f301fcb5dfac523554ba97f08b24b";
const instant then = from_ms(1'800'000'000'000);

seal_check check(const message_seal& seal, const std::string& text = body, instant now = then) {
    return check_seal(secret, seal, text, now);
}

// Made with another program: printf '1800000000.BODY' | openssl dgst -sha256 -hmac SECRET
TEST(MessageSignature, IsWhatOpensslMakes) {
    EXPECT_EQ(message_signature("hush", "1800000000", "{}"),
              "v1=08de0209ca20a619eb5a1a5d407aa3a0670058bd6e075fb0b7a6d21f670e4e1c");
    EXPECT_EQ(message_signature(std::string(100, 'k'), "1800000000", "{}"),
              "v1=68406dc17b05401543cc55ff55c459994255b9f81f0b911cdc959cb70ad3ac52");
    EXPECT_EQ(message_signature(secret, "1800000000", body), signed_body);
}

TEST(MessageSignature, AgreesWithTheTestCaseOfRfc4231) {
    EXPECT_EQ(hmac_sha256_hex("Jefe", "what do ya want for nothing?"),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(MessageSignature, TheTimestampIsInWholeSeconds) {
    EXPECT_EQ(message_timestamp(then), "1800000000");
    EXPECT_EQ(message_timestamp(then + 999ms), "1800000000");
}

TEST(MessageSignature, WhatWasSignedIsGood) {
    EXPECT_EQ(check({"1800000000", signed_body}), seal_check::good);
}

TEST(MessageSignature, EveryFlippedBitIsSeen) {
    for (std::size_t i = 0; i < std::string(signed_body).size(); ++i) {
        std::string flipped = signed_body;
        flipped[i] = static_cast<char>(flipped[i] ^ 1);
        EXPECT_EQ(check({"1800000000", flipped}), seal_check::bad) << i;
    }
    for (std::size_t i = 0; i < std::string(body).size(); ++i) {
        std::string flipped = body;
        flipped[i] = static_cast<char>(flipped[i] ^ 1);
        EXPECT_EQ(check({"1800000000", signed_body}, flipped), seal_check::bad) << i;
    }
}

TEST(MessageSignature, AnyOtherSignatureIsBad) {
    const std::string upper = "v1=ED8CDDF68713FD2F3E4DFC610916C8D20F4F301FCB5DFAC523554BA97F08B24B";
    const std::string cut = std::string(signed_body).substr(0, 66);
    for (const std::string& wrong : {std::string("v1="), cut, std::string(signed_body) + "0",
                                     std::string(signed_body).substr(3), upper, std::string("x"),
                                     message_signature("another secret", "1800000000", body)})
        EXPECT_EQ(check({"1800000000", wrong}), seal_check::bad) << wrong;
    EXPECT_EQ(check({"1800000001", signed_body}), seal_check::bad) << "another moment";
    EXPECT_EQ(check({"1800000000", signed_body}, ""), seal_check::bad);
}

TEST(MessageSignature, ItsTimeMayBeFiveMinutesOffAndNoMore) {
    const message_seal seal{"1800000000", signed_body};
    EXPECT_EQ(check(seal, body, then + signature_window), seal_check::good);
    EXPECT_EQ(check(seal, body, then + signature_window + 1ms), seal_check::stale);
    EXPECT_EQ(check(seal, body, then - signature_window), seal_check::good);
    EXPECT_EQ(check(seal, body, then - signature_window - 1ms), seal_check::stale);
}

TEST(MessageSignature, ATimestampHasOneSpelling) {
    for (const char* wrong :
         {"x", "-1800000000", "+1800000000", " 1800000000", "1800000000 ", "01800000000", "0",
          "1800000000.0", "18000000000", "1e9", "99999999999999999999999"}) {
        const std::string forged = message_signature(secret, wrong, body);
        EXPECT_EQ(check({wrong, forged}), seal_check::malformed) << wrong;
    }
}

TEST(MessageSignature, BothHeadersAreNeeded) {
    EXPECT_EQ(check({"", signed_body}), seal_check::absent);
    EXPECT_EQ(check({"1800000000", ""}), seal_check::absent);
    EXPECT_EQ(check({}), seal_check::absent);
}

}  // namespace
}  // namespace floodgate::store
