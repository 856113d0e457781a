#include "sale/promise.hpp"

#include <gtest/gtest.h>

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
