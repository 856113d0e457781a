#include "sale/promise.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace floodgate::sale {
namespace {

promise example() {
    promise p;
    p.order = {123456789012345678};
    p.sale = {7};
    p.buyer = {42};
    p.quantity = 3;
    p.unit_price = {19900};
    p.unit_points = {500};
    p.at = from_ms(1'800'000'000'123);
    p.key.fill(std::byte{0xab});
    return p;
}

TEST(Promise, SurvivesEncodingAndDecoding) {
    const promise p = example();
    EXPECT_EQ(decode_promise(encode(p)), p);
}

TEST(Promise, HasItsFieldsWhereTheLayoutSays) {
    namespace layout = promise_layout;
    const promise p = example();
    const encoded_promise bytes = encode(p);
    const auto number = [&](byte_range r) {
        std::uint64_t value = 0;
        for (std::size_t i = r.end(); i-- > r.at;)
            value = value << 8U | std::to_integer<std::uint64_t>(bytes.at(i));
        return value;
    };
    EXPECT_EQ(number(layout::version), 1U);
    EXPECT_EQ(number(layout::order), p.order.value);
    EXPECT_EQ(number(layout::sale), 7U);
    EXPECT_EQ(number(layout::buyer), 42U);
    EXPECT_EQ(number(layout::quantity), 3U);
    EXPECT_EQ(number(layout::unit_price), 19900U);
    EXPECT_EQ(number(layout::unit_points), 500U);
    EXPECT_EQ(number(layout::at), 1'800'000'000'123U);
    EXPECT_TRUE(std::equal(p.key.begin(), p.key.end(), bytes.begin() + layout::key.at));
}

TEST(Promise, RefusesEveryOtherLength) {
    const encoded_promise bytes = encode(example());
    for (std::size_t n = 0; n < bytes.size(); ++n)
        EXPECT_FALSE(decode_promise(byte_view(bytes).first(n))) << n;
}

TEST(Promise, RefusesAnUnknownVersionAndSenselessValues) {
    encoded_promise future = encode(example());
    future[0] = std::byte{2};
    EXPECT_FALSE(decode_promise(future));

    promise nobody = example();
    nobody.buyer = {0};
    EXPECT_FALSE(decode_promise(encode(nobody)));

    promise nothing = example();
    nothing.quantity = 0;
    EXPECT_FALSE(decode_promise(encode(nothing)));
}

}  // namespace
}  // namespace floodgate::sale
