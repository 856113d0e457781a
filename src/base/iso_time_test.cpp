#include "base/iso_time.hpp"

#include <gtest/gtest.h>

namespace floodgate {
namespace {

TEST(IsoTime, IsWrittenWithMilliseconds) {
    EXPECT_EQ(to_iso(from_ms(0)), "1970-01-01T00:00:00.000Z");
    EXPECT_EQ(to_iso(from_ms(1'794'736'800'123)), "2026-11-15T10:00:00.123Z");
}

TEST(IsoTime, ShowsTheEdgeForWhatLiesOutside) {
    EXPECT_EQ(to_iso(never), "2099-12-31T23:59:59.999Z");
    EXPECT_EQ(to_iso(from_ms(-1)), "1970-01-01T00:00:00.000Z");
}

TEST(IsoTime, IsReadWithAndWithoutFractionAndOffset) {
    const instant t = from_ms(1'794'736'800'000);
    EXPECT_EQ(parse_iso("2026-11-15T10:00:00.000Z"), t);
    EXPECT_EQ(parse_iso("2026-11-15T10:00:00Z"), t);
    EXPECT_EQ(parse_iso("2026-11-15T18:00:00+08:00"), t);
    EXPECT_EQ(parse_iso("2026-11-15T04:30:00.000-05:30"), t);
    EXPECT_EQ(parse_iso("2028-02-29T00:00:00Z"), from_ms(1'835'395'200'000));
    EXPECT_EQ(parse_iso("2099-12-31T23:59:59.999Z"), from_ms(4'102'444'799'999));
}

TEST(IsoTime, ComesBackAsItWent) {
    for (std::int64_t ms = 1; ms < 4'102'444'800'000; ms += 7'777'777'777)
        EXPECT_EQ(parse_iso(to_iso(from_ms(ms))), from_ms(ms));
}

TEST(IsoTime, IsReadInNoOtherForm) {
    for (const char* text : {"",
                             "2026-11-15",
                             "2026-11-15T10:00Z",
                             "2026-11-15T10:00:00",
                             "2026-11-15 10:00:00Z",
                             "2026-11-15t10:00:00Z",
                             "2026-11-15T10:00:00z",
                             "2026-11-15T10:00:00.1Z",
                             "2026-11-15T10:00:00.1234Z",
                             "2026-11-15T10:00:00.Z",
                             "2026-11-15T10:00:00Z ",
                             " 2026-11-15T10:00:00Z",
                             "2026-11-15T10:00:00+0800",
                             "2026-11-15T10:00:00+08",
                             "2026-11-15T10:00:00+15:00",
                             "2026-11-15T10:00:00+08:60",
                             "+026-11-15T10:00:00Z",
                             "2026-1-15T10:00:00Z",
                             "2026-11-15T10:00:00Z+08:00",
                             "2026-11-15T10:00:00,000Z"}) {
        EXPECT_FALSE(parse_iso(text)) << text;
    }
}

TEST(IsoTime, KnowsWhichDatesExist) {
    for (const char* text : {"2026-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-13-01T00:00:00Z",
                             "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-32T00:00:00Z",
                             "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z",
                             "1969-12-31T23:59:59Z", "2100-01-01T00:00:00Z",
                             "1970-01-01T00:00:00+00:01", "2099-12-31T23:59:59-00:01"}) {
        EXPECT_FALSE(parse_iso(text)) << text;
    }
}

}  // namespace
}  // namespace floodgate
