#include "api/shop_page.hpp"

#include <gtest/gtest.h>

#include "pay/test_channel.hpp"

namespace floodgate::api {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

TEST(ShopPage, NamesTheMethodsInTheOrderInWhichTheyWereAdded) {
    pay::channels channels;
    channels.add(std::make_unique<pay::test_channel>());
    const page made = shop_page(channels, {.refund_within = hours(24), .cool_down = seconds(30)});
    EXPECT_EQ(*made.body, R"({"methods":["test"],"refund_within_s":86400,"cool_down_s":30})");
}

TEST(ShopPage, AnotherShopHasAnotherEtag) {
    const pay::channels none;
    const page a = shop_page(none, {.refund_within = hours(24), .cool_down = seconds(30)});
    const page b = shop_page(none, {.refund_within = hours(24), .cool_down = seconds(0)});
    EXPECT_NE(a.etag, b.etag);
}

}  // namespace
}  // namespace floodgate::api
