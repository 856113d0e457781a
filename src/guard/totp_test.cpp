#include "guard/totp.hpp"

#include <gtest/gtest.h>

#include <set>

namespace floodgate::guard {
namespace {

constexpr std::string_view rfc_secret = "12345678901234567890";

instant at_s(std::int64_t seconds) { return from_ms(seconds * 1000); }

// The vectors of RFC 6238, appendix B, for SHA-1; they have eight digits, ours are the last six.
TEST(Totp, GivesTheCodesOfTheRfc) {
    const std::pair<std::int64_t, const char*> vectors[] = {
        {59, "287082"},         {1111111109, "081804"}, {1111111111, "050471"},
        {1234567890, "005924"}, {2000000000, "279037"}, {20000000000, "353130"}};
    for (const auto& [seconds, code] : vectors)
        EXPECT_EQ(totp_code(rfc_secret, totp_step_at(at_s(seconds))), code) << seconds;
}

TEST(Totp, AcceptsOneStepBeforeAndAfter) {
    const instant now = at_s(1234567890);
    const std::int64_t present = totp_step_at(now);
    for (std::int64_t off = -3; off <= 3; ++off) {
        const auto step = matching_step(rfc_secret, totp_code(rfc_secret, present + off), now);
        if (off < -1 || off > 1) {
            EXPECT_EQ(step, std::nullopt) << off;
        } else {
            EXPECT_EQ(step, present + off);
        }
    }
}

TEST(Totp, RefusesWhatIsNotACode) {
    const instant now = at_s(1234567890);
    for (const char* code : {"", "5924", "0005924", "00592x", "005 924", "005925"})
        EXPECT_EQ(matching_step(rfc_secret, code, now), std::nullopt) << code;
}

// RFC 4648, section 10.
TEST(Totp, WritesBase32) {
    EXPECT_EQ(to_base32(""), "");
    EXPECT_EQ(to_base32("f"), "MY");
    EXPECT_EQ(to_base32("fo"), "MZXQ");
    EXPECT_EQ(to_base32("foo"), "MZXW6");
    EXPECT_EQ(to_base32("foob"), "MZXW6YQ");
    EXPECT_EQ(to_base32("fooba"), "MZXW6YTB");
    EXPECT_EQ(to_base32("foobar"), "MZXW6YTBOI");
}

TEST(Totp, NamesTheAccountInTheAddress) {
    EXPECT_EQ(totp_uri("foobar", "+86 1"),
              "otpauth://totp/Floodgate:%2B86%201?secret=MZXW6YTBOI&issuer=Floodgate"
              "&algorithm=SHA1&digits=6&period=30");
}

TEST(Totp, MakesSecretsAndRecoveryCodesThatDiffer) {
    EXPECT_EQ(new_totp_secret().size(), totp_secret_bytes);
    EXPECT_NE(new_totp_secret(), new_totp_secret());
    const auto codes = new_recovery_codes();
    EXPECT_EQ(codes.size(), recovery_codes_made);
    EXPECT_EQ(std::set<std::string>(codes.begin(), codes.end()).size(), recovery_codes_made);
    EXPECT_EQ(codes.front().size(), 11U);
}

TEST(Totp, ARecoveryCodeMayBeTypedInCapitalsAndWithBlanks) {
    EXPECT_EQ(recovery_code_hash("abcde-23456"), recovery_code_hash(" ABCDE 23456"));
    EXPECT_NE(recovery_code_hash("abcde-23456"), recovery_code_hash("abcde-23457"));
}

}  // namespace
}  // namespace floodgate::guard
