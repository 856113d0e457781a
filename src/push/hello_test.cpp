#include "push/hello.hpp"

#include <boost/json/parse.hpp>

#include "api/handler_fixture.hpp"
#include "sale/order_number.hpp"
#include "shop/news_fixture.hpp"

namespace floodgate::push {
namespace {

using shop::news_of;

using enum sale::order_state;

class HelloTest : public api::HandlerTest {
protected:
    static constexpr sale::user_id buyer{42};

    sale::order_no bought() {
        clock_.advance(milliseconds(1));
        return buy(buyer.value, published_sale(5)).order;
    }
    hello made(std::optional<std::int64_t> since = std::nullopt) {
        auto h = make_hello(with_, buyer, since, milliseconds(30'000));
        EXPECT_TRUE(h);
        said_ = boost::json::parse(h->text);
        return *h;
    }
    std::size_t events() const { return said_.at("events").as_array().size(); }
    std::string status(std::size_t at) const {
        return std::string(said_.at("orders").at(at).at("status").as_string());
    }
    std::int64_t cancelled(sale::order_no no) {
        return book_.moves().cancel(no, buyer, clock_.now())->event;
    }
    boost::json::value said_;
};

TEST_F(HelloTest, HasTheOrdersAsTheyAre) {
    const auto first = bought();
    enter_all();
    const auto second = bought();
    buy(43, published_sale(5));
    made();
    EXPECT_EQ(said_.at("type").as_string(), "hello");
    EXPECT_EQ(said_.at("heartbeat_ms").as_int64(), 30'000);
    ASSERT_EQ(said_.at("orders").as_array().size(), 2U);
    EXPECT_EQ(said_.at("orders").at(0).at("order_no").as_string(), sale::to_text(second));
    EXPECT_EQ(status(0), "queued");
    EXPECT_EQ(said_.at("orders").at(1).at("order_no").as_string(), sale::to_text(first));
    EXPECT_EQ(status(1), "unpaid");
    EXPECT_EQ(said_.at("last_event").as_int64(), 0);
}

TEST_F(HelloTest, HasTheMovesThatWereMissedAndNoneTwice) {
    const auto first = bought(), second = bought();
    enter_all();
    const std::int64_t one = cancelled(first);
    made(0);
    ASSERT_EQ(events(), 1U);
    const auto& line = said_.at("events").at(0);
    EXPECT_EQ(line.at("id").as_int64(), one);
    EXPECT_EQ(line.at("order_no").as_string(), sale::to_text(first));
    EXPECT_EQ(line.at("from").as_string(), "unpaid");
    EXPECT_EQ(line.at("to").as_string(), "closed");
    EXPECT_EQ(line.at("reason").as_string(), "cancelled");
    const std::int64_t last = said_.at("last_event").as_int64();
    EXPECT_EQ(last, one);
    made(last);
    EXPECT_EQ(events(), 0U);
    EXPECT_EQ(said_.at("last_event").as_int64(), last);
    const std::int64_t two = cancelled(second);
    made(last);
    EXPECT_EQ(events(), 1U);
    EXPECT_EQ(said_.at("last_event").as_int64(), two);
}

TEST_F(HelloTest, WithoutSinceThereIsOnlyThePresent) {
    const auto no = bought();
    enter_all();
    const std::int64_t one = cancelled(no);
    made();
    EXPECT_EQ(events(), 0U);
    EXPECT_EQ(said_.at("last_event").as_int64(), one);
    EXPECT_EQ(status(0), "closed");
}

// L13: the counter of the whole shop would tell every buyer how busy the shop is.
TEST_F(HelloTest, TheLastEventIsTheBuyersOwn) {
    constexpr sale::user_id other{43};
    const auto own = bought(), foreign = buy(other.value, published_sale(5)).order;
    enter_all();
    const std::int64_t one = cancelled(own);
    ASSERT_GT(book_.moves().cancel(foreign, other, clock_.now())->event, one);
    made();
    EXPECT_EQ(said_.at("last_event").as_int64(), one);
}

TEST_F(HelloTest, CoversWhatItTellsAlready) {
    hello h;
    h.last_event = 5;
    h.states = {{{1}, queued}, {{2}, unpaid}, {{3}, closed}};
    EXPECT_TRUE(h.covers(news_of{.no = 3, .state = closed, .event = 5}));
    EXPECT_FALSE(h.covers(news_of{.no = 3, .state = closed, .event = 6}));
    EXPECT_FALSE(h.covers(news_of{.no = 1}));  // entered after it was read
    EXPECT_TRUE(h.covers(news_of{.no = 2}));
    EXPECT_FALSE(h.covers(news_of{.no = 2, .closing = "cancelled"}));
    EXPECT_TRUE(h.covers(news_of{.no = 3, .closing = "cancelled"}));
    EXPECT_FALSE(h.covers(news_of{.no = 9}));  // not among the latest
}

TEST_F(HelloTest, NewsIsTheOrderAsItIsNow) {
    const auto message = boost::json::parse(order_message(news_of{.no = 3, .event = 8}));
    EXPECT_EQ(message.at("type").as_string(), "order");
    EXPECT_EQ(message.at("event").as_int64(), 8);
    EXPECT_EQ(message.at("order").at("order_no").as_string(), "3");
    EXPECT_EQ(message.at("order").at("status").as_string(), "unpaid");
}

}  // namespace
}  // namespace floodgate::push
