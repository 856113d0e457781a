#include "pay/beijing_time.hpp"

#include <gtest/gtest.h>

#include "base/iso_time.hpp"

namespace floodgate::pay {
namespace {

const instant evening = from_ms(1'794'736'800'000);  // 2026-11-15T10:00:00Z

TEST(BeijingTime, IsEightHoursAheadOfUtc) {
    EXPECT_EQ(to_beijing_text(evening), "2026-11-15 18:00:00");
    EXPECT_EQ(to_rfc3339(evening), "2026-11-15T18:00:00+08:00");
    EXPECT_EQ(parse_beijing_text("2026-11-15 18:00:00"), evening);
    EXPECT_EQ(parse_rfc3339("2026-11-15T18:00:00+08:00"), evening);
}

TEST(BeijingTime, BeginsTheNextDayEarly) {
    const instant t = parse_iso("2027-12-31T16:00:00Z").value();
    EXPECT_EQ(to_beijing_text(t), "2028-01-01 00:00:00");
    EXPECT_EQ(to_rfc3339(t), "2028-01-01T00:00:00+08:00");
    EXPECT_EQ(parse_beijing_text("2028-01-01 00:00:00"), t);
    EXPECT_EQ(parse_beijing_text("2028-02-29 12:00:00"), parse_iso("2028-02-29T04:00:00Z"));
}

TEST(BeijingTime, DropsMilliseconds) {
    EXPECT_EQ(to_beijing_text(evening + milliseconds(999)), "2026-11-15 18:00:00");
    EXPECT_EQ(to_rfc3339(evening + milliseconds(999)), "2026-11-15T18:00:00+08:00");
}

TEST(BeijingTime, ComesBackAsItWent) {
    for (std::int64_t ms = 0; ms < 4'000'000'000'000; ms += 7'777'777'000) {
        EXPECT_EQ(parse_beijing_text(to_beijing_text(from_ms(ms))), from_ms(ms));
        EXPECT_EQ(parse_rfc3339(to_rfc3339(from_ms(ms))), from_ms(ms));
    }
}

TEST(BeijingTime, IsReadInNoOtherForm) {
    for (const char* text : {"", "2026-11-15", "2026-11-15T18:00:00", "2026-11-15 18:00",
                             "2026-11-15 18:00:00Z", "2026-11-15 18:00:00.000",
                             "2026-11-15 24:00:00", "2026-02-29 10:00:00", "2026-13-01 10:00:00",
                             "2026-11-15 18:60:00", "2026-11-15 18:00:60", " 026-11-15 18:00:00",
                             "2026-11-15  8:00:00", "2026/11/15 18:00:00", "+026-11-15 18:00:00",
                             "1969-12-31 23:59:59", "1970-01-01 07:59:59", "2100-01-02 00:00:00"})
        EXPECT_FALSE(parse_beijing_text(text)) << text;
    for (const char* text : {"", "2026-11-15 18:00:00", "2026-11-15T18:00:00",
                             "2026-11-15T18:00:00+0800", "2026-11-15T18:00:00+08:00 "})
        EXPECT_FALSE(parse_rfc3339(text)) << text;
}

TEST(BeijingTime, Rfc3339MayHaveAnotherOffset) {
    EXPECT_EQ(parse_rfc3339("2026-11-15T10:00:00Z"), evening);
    EXPECT_EQ(parse_rfc3339("2026-11-15T10:00:00.250+00:00"), evening + milliseconds(250));
}

}  // namespace
}  // namespace floodgate::pay
