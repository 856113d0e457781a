#include <gtest/gtest.h>

#include <set>

#include "base/clock.hpp"
#include "base/eventually.hpp"
#include "base/hex.hpp"
#include "base/histogram.hpp"
#include "base/log.hpp"
#include "base/random_id.hpp"
#include "base/result.hpp"
#include "base/tagged.hpp"

namespace floodgate {
namespace {

TEST(Result, CarriesAValueOrAnErrorThatIsTrue) {
    const result<int> good = 7;
    const result<int> bad = make_error_code(errc::not_found);
    EXPECT_EQ(good.value(), 7);
    ASSERT_TRUE(bad.has_error());
    EXPECT_TRUE(static_cast<bool>(bad.error())) << "an error of value 0 would read as success";
    EXPECT_EQ(bad.error().message(), "not found");
}

TEST(Tagged, ComparesByValue) {
    using apples = tagged<int, struct apples_tag>;
    EXPECT_LT(apples{1}, apples{2});
    EXPECT_EQ(apples{3}, apples{3});
}

TEST(ManualClock, MovesOnlyWhenTold) {
    manual_clock clock(from_ms(1000));
    EXPECT_EQ(to_ms(clock.now()), 1000);
    clock.advance(milliseconds(5));
    EXPECT_EQ(to_ms(clock.now()), 1005);
    clock.set(from_ms(10));
    EXPECT_EQ(to_ms(clock.now()), 10);
}

TEST(ManualMonotonicClock, MovesOnlyWhenTold) {
    manual_monotonic_clock clock;
    const moment before = clock.now();
    EXPECT_EQ(clock.now(), before);
    clock.advance(milliseconds(5));
    EXPECT_EQ(clock.now() - before, milliseconds(5));
    EXPECT_GT(before - moment{}, std::chrono::hours(1));
}

TEST(MachineTime, NeverGoesBack) {
    const moment before = machine_time.now();
    EXPECT_GE(machine_time.now(), before);
}

TEST(RandomId, IsHexadecimalAndNeverTheSame) {
    std::set<std::string> seen;
    for (int i = 0; i < 1000; ++i) seen.insert(random_id());
    EXPECT_EQ(seen.size(), 1000U);
    for (const std::string& id : seen) {
        EXPECT_EQ(id.size(), 2 * random_id_bytes);
        EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos) << id;
    }
    EXPECT_EQ(random_id(16).size(), 32U);
}

TEST(Eventually, IsTrueAsSoonAsTheConditionHolds) {
    int asked = 0;
    EXPECT_TRUE(eventually([&] { return ++asked == 3; }));
    EXPECT_EQ(asked, 3);
    EXPECT_FALSE(eventually([] { return false; }, milliseconds(0)));
}

TEST(Hex, GoesThereAndBack) {
    std::array<std::byte, 3> bytes{std::byte{0x00}, std::byte{0xab}, std::byte{0x7f}};
    EXPECT_EQ(to_hex(bytes), "00ab7f");
    std::array<std::byte, 3> back{};
    EXPECT_TRUE(from_hex("00AB7f", back));
    EXPECT_EQ(back, bytes);
}

TEST(Hex, RefusesWrongLengthAndWrongDigits) {
    std::array<std::byte, 2> out{};
    EXPECT_FALSE(from_hex("abc", out));
    EXPECT_FALSE(from_hex("abcdef", out));
    EXPECT_FALSE(from_hex("abxy", out));
}

TEST(Log, QuotesWhatWouldBreakALine) {
    EXPECT_EQ(log::quoted("plain-value"), "plain-value");
    EXPECT_EQ(log::quoted("two words"), "\"two words\"");
    EXPECT_EQ(log::quoted(""), "\"\"");
    EXPECT_EQ(log::quoted("a\nb\"c"), "\"a\\x0ab\\\"c\"");
}

TEST(Log, WritesKeysAndValuesInPairs) {
    EXPECT_EQ(log::pairs_of(), "");
    EXPECT_EQ(log::pairs_of("one", 1, "two", "a b"), " one=1 two=\"a b\"");
}

TEST(Log, EscapesTextForJson) {
    EXPECT_EQ(log::json_text("a\nb\"c\\"), R"("a\u000ab\"c\\")");
    EXPECT_EQ(log::detail::shown_in_json(7), "7");
    EXPECT_EQ(log::detail::shown_in_json(true), "true");
    EXPECT_EQ(log::detail::shown_in_json("7"), R"("7")");
}

TEST(Log, RefusesAnUnknownFormat) {
    EXPECT_THROW(log::parse_format("xml"), std::invalid_argument);
    EXPECT_EQ(log::parse_format("json"), log::format::json);
}

TEST(Log, RefusesAnUnknownLevel) { EXPECT_THROW(log::parse_level("loud"), std::invalid_argument); }

TEST(Histogram, CountsByRange) {
    histogram h{10, 100};
    for (const std::uint64_t v : {0U, 10U, 11U, 100U, 101U, 5000U}) h.add(v);
    const histogram::reading r = h.read();
    EXPECT_EQ(r.counts, (std::vector<std::uint64_t>{2, 2, 2}));
    EXPECT_EQ(r.sum, 5222U);
    EXPECT_EQ(r.total(), 6U);
}

}  // namespace
}  // namespace floodgate
