// For tests: news of orders, made in one line.

#pragma once

#include <string>

#include "sale/news.hpp"

namespace floodgate::shop {

struct news_of {
    std::uint64_t no = 1;
    std::int64_t buyer = 7;
    sale::order_state state = sale::order_state::unpaid;
    std::int64_t event = 0;
    std::string closing{};

    operator sale::order_news() const {
        return {.what = {.no = {no},
                         .sale = {1},
                         .buyer = {buyer},
                         .amount = {9900},
                         .amount_points = {0},
                         .state = state,
                         .reason = {},
                         .created_at = from_ms(1'800'000'000'000),
                         .pay_by = from_ms(1'800'000'900'000),
                         .closing = closing},
                .event = event};
    }
};

}  // namespace floodgate::shop
