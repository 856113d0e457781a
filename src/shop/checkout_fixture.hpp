// For tests of checkout: two channels that answer as they were told, over a real ledger.

#pragma once

#include <array>
#include <memory>
#include <string>

#include "pay/scripted_channel.hpp"
#include "shop/book_fixture.hpp"
#include "shop/checkout.hpp"

namespace floodgate::shop {

inline const char* to_text(checkout_step s) {
    constexpr std::array words{"done",     "under_way", "too_late",  "no_effect",
                               "no_price", "too_much",  "not_enough"};
    return words.at(static_cast<std::size_t>(s) - 1);
}

class CheckoutTest : public BookTest {
protected:
    CheckoutTest() : channel_(added(ledger::method)), other_(added("other")) {}

    pay::scripted_channel* added(const char* method) {
        auto scripted = std::make_unique<pay::scripted_channel>(method);
        pay::scripted_channel* const added = scripted.get();
        channels_.add(std::move(scripted));
        return added;
    }
    sale::promise order_in(std::string_view state) {
        return orders_.order_in(state, sale_, ++buyer_);
    }
    std::string shown(const sale::promise& p) { return ledger::move_verbs::shown(orders_.find(p)); }
    void pays_at_once() { channel_->begins.always(pay::checkout{.paid = true, .redirect = ""}); }
    std::int64_t questions() { return moves_.count_questions().value(); }
    ledger::open_question question() { return moves_.all_questions({}, 10).value().at(0); }

    pay::channels channels_;
    pay::scripted_channel* channel_;
    pay::scripted_channel* other_;
    checkout checkout_{{moves_, channels_, settlement_, clock_}};
    std::int64_t buyer_ = 0;
};

}  // namespace floodgate::shop
