#include "sale/news_codec.hpp"

#include <gtest/gtest.h>

namespace floodgate::sale {
namespace {

order_news example(std::uint64_t no) {
    order_news n;
    n.event = static_cast<std::int64_t>(no / 3);
    n.what.no = {no};
    n.what.sale = {7};
    n.what.buyer = {1001};
    n.what.quantity = 2;
    n.what.amount = {19'800};
    n.what.amount_points = {100};
    n.what.state = order_state::unpaid;
    n.what.reason = "timed_out";
    n.what.created_at = from_ms(1'800'000'000'123);
    n.what.pay_by = from_ms(1'800'000'900'123);
    n.what.closing = "cancelled";
    return n;
}

TEST(NewsCodec, ReadsBackWhatItWrote) {
    const std::vector<order_news> two{example(5), example((std::uint64_t{1} << 63U) - 1)};
    const auto read = decode_news(encode_news(two));
    ASSERT_TRUE(read);
    ASSERT_EQ(read->size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        const order &a = two[i].what, &b = (*read)[i].what;
        EXPECT_EQ((*read)[i].event, two[i].event);
        EXPECT_EQ(b.no, a.no);
        EXPECT_EQ(b.sale, a.sale);
        EXPECT_EQ(b.buyer, a.buyer);
        EXPECT_EQ(b.quantity, a.quantity);
        EXPECT_EQ(b.amount, a.amount);
        EXPECT_EQ(b.amount_points, a.amount_points);
        EXPECT_EQ(b.state, a.state);
        EXPECT_EQ(b.reason, a.reason);
        EXPECT_EQ(b.created_at, a.created_at);
        EXPECT_EQ(b.pay_by, a.pay_by);
        EXPECT_EQ(b.closing, a.closing);
    }
    EXPECT_TRUE(decode_news(encode_news({}))->empty());
}

TEST(NewsCodec, TakesNothingThatIsCutShortOrForeign) {
    const std::vector<order_news> one{example(5)};
    const std::string bytes = encode_news(one);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        if (length == 1) continue;  // the version alone: no news
        EXPECT_FALSE(decode_news(std::string_view(bytes).substr(0, length))) << length;
    }
    std::string later = bytes;
    later.front() = '\x03';
    EXPECT_FALSE(decode_news(later));
    std::vector<order_news> stateless = one;
    stateless.front().what.state = static_cast<order_state>(8);
    EXPECT_FALSE(decode_news(encode_news(stateless)));
}

}  // namespace
}  // namespace floodgate::sale
