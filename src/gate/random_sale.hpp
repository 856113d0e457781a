// For tests: one sale under random attempts, releases and warm-ups. A shelf tells the expected
// answers.

#pragma once

#include <memory>
#include <random>
#include <vector>

#include "gate/shelf.hpp"
#include "gate/turnstile_fixture.hpp"

namespace floodgate::gate {

class random_sale {
public:
    random_sale(turnstile& gate, lane& way, unsigned seed, std::int64_t id)
        : gate_(gate), way_(way), dice_(seed) {
        terms_ = open_sale(id, roll(30), 1 + static_cast<std::uint32_t>(roll(4)));
        EXPECT_TRUE(gate_.warm_up(terms_).has_value());
        model_ = std::make_unique<shelf>(terms_);
    }

    void attempt(instant now) {
        std::vector<sale::attempt> batch(static_cast<std::size_t>(1 + roll(12)));
        for (auto& a : batch) a = any_attempt();
        const auto told = ask(way_, batch, now);
        for (std::size_t i = 0; i < batch.size(); ++i) compare(batch[i], told[i], now);
        // Submitted one by one: within a batch only attempts under one key are sure to stay in
        // order. No other sale uses these keys.
        for (int n = roll(6); n > 0; --n) {
            sale::attempt a = any_attempt();
            a.key = key_number(100 * static_cast<int>(terms_.id.value) + roll(20));
            compare(a, ask(way_, {a}, now)[0], now);
        }
    }
    // Half of the releases begin a cool-down, and some withdraw the units. The ledger's revision
    // has grown by then; the gate hears of that late, or never.
    void release_one(instant now) {
        const auto held = model_->held();
        if (held.empty() || roll(2) == 0) return;
        const held_unit u = held[static_cast<std::size_t>(roll(static_cast<int>(held.size())))];
        const cool_down wait{now, now + milliseconds(roll(2) * roll(8000))};
        const std::int64_t withdrawn_at = roll(3) == 0 ? ++revision_ : 0;
        model_->release(u.buyer, u.order, withdrawn_at);
        if (wait.lasts()) model_->cool({u.buyer, wait.until});
        gate_.release({terms_.id, u.buyer, u.order, wait, withdrawn_at});
    }
    void change_terms() {
        if (roll(6) != 0) return;
        terms_.stock = roll(40);
        terms_.revision = roll(static_cast<int>(revision_) + 2);
        revision_ = std::max(revision_, terms_.revision);
        terms_.state = roll(4) == 0 ? sale::sale_state::paused : sale::sale_state::published;
        EXPECT_EQ(gate_.warm_up(terms_).has_value(), model_->change_terms(terms_));
    }
    void compare_standing() {
        EXPECT_EQ(gate_.held_in(terms_.id), model_->held());
        const auto seen = *gate_.look_up(terms_.id), expected = model_->look();
        EXPECT_EQ(seen.stock, expected.stock);
        EXPECT_EQ(seen.given, expected.given);
        EXPECT_EQ(seen.returned, expected.returned);
        EXPECT_EQ(seen.largest, expected.largest);
        EXPECT_EQ(seen.buyers, expected.buyers);
    }

private:
    sale::attempt any_attempt() {
        return {.sale = terms_.id,
                .buyer = {1 + roll(12)},
                .quantity = static_cast<std::uint32_t>(1 + roll(3))};
    }
    int roll(int n) { return static_cast<int>(dice_() % static_cast<unsigned>(n)); }
    void compare(const sale::attempt& a, const sale::verdict& told, instant now) {
        const auto expected = model_->judge(a, now);
        EXPECT_EQ(told.what, expected.what)
            << to_text(told.what) << " instead of " << to_text(expected.what);
        if (expected.what == sale::answer::accepted) {
            model_->put_down({.order = told.order,
                              .sale = a.sale,
                              .buyer = a.buyer,
                              .quantity = a.quantity,
                              .key = a.key},
                             {});
        } else {
            EXPECT_EQ(told.order, expected.order);
            EXPECT_EQ(told.cool_until, expected.cool_until);
        }
        if (expected.what == sale::answer::not_enough ||
            expected.what == sale::answer::over_limit) {
            EXPECT_EQ(told.units, expected.units);
        }
    }

    turnstile& gate_;
    lane& way_;
    std::mt19937 dice_;
    sale::sale terms_;
    std::int64_t revision_ = 0;  // in the ledger
    std::unique_ptr<shelf> model_;
};

}  // namespace floodgate::gate
