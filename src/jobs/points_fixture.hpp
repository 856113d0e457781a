// For tests: a ledger, accounts of points, and the jobs that keep both in agreement.

#pragma once

#include <fmt/format.h>

#include "jobs/book_fixture.hpp"
#include "jobs/deadline_closer.hpp"
#include "jobs/payment_inquiries.hpp"
#include "jobs/points_settler.hpp"
#include "points/account_book.hpp"
#include "points/scripted_accounts.hpp"
#include "shop/points_channel.hpp"

namespace floodgate::jobs {

struct process_died {};

// How far a life goes before it ends: at which of its steps, and on which side of it.
struct fate {
    int step = 0;
    bool work_done = false;
};

class PointsLife : public BookTest {
protected:
    static constexpr std::int64_t price = 50;  // of every order of the fixture

    PointsLife() {
        auto made = std::make_unique<shop::points_channel>(scripted_, clock_);
        channel_ = made.get();
        channels_.add(std::move(made));
    }

    void grant(std::int64_t buyer, std::int64_t amount) {
        accounts_.grant({{buyer}, {amount}, "a gift", {1}, fmt::format("g{}", buyer)}, clock_.now())
            .value();
    }
    points::balance of(std::int64_t buyer) { return accounts_.balance_of({buyer}).value(); }
    std::optional<points::try_state> try_of(sale::order_no no) {
        return accounts_.state_of(no, points::kind::spend).value();
    }

    // Runs `act` until the process dies, as `f` says, at a statement of the ledger or a call of the
    // accounts. True: it died on the way.
    template <class Act>
    bool dies(Act act, fate f) {
        int steps = 0;
        bool dead = false;
        // Whoever catches the first exception does nothing more either.
        const auto die_at = [&, f](bool work_done) {
            if (work_done == f.work_done && ++steps == f.step) dead = true;
            if (dead) throw process_died{};
        };
        how_->before = [=] { die_at(false); };
        how_->after = [=](std::string_view) { die_at(true); };
        scripted_.before = [=] { return die_at(false), false; };
        scripted_.after = [=, this] {
            die_at(true);
            if (after_each_call_) after_each_call_();
            return false;
        };
        try {
            act();
        } catch (const process_died&) {
            EXPECT_TRUE(dead);
        }
        mend_ledger();
        scripted_.before = scripted_.after = nullptr;
        after_each_call_ = nullptr;
        return dead;
    }

    std::function<void()> after_each_call_;  // of the accounts, while it lives
    std::unique_ptr<store::database> points_db_ = ledger::databases().at(1).open(directory_);
    points::account_book accounts_{*points_db_};
    points::scripted_accounts scripted_{accounts_};
    pay::channels channels_;
    shop::points_channel* channel_ = nullptr;
    shop::checkout checkout_{{moves_, channels_, after_, clock_}};
    deadline_closer closer_{{moves_, after_, clock_}};
    payment_inquiries inquiries_{{moves_, refunds_, checkout_, alarms_, clock_}};
    points_settler settler_{{scripted_, moves_, checkout_, clock_}};
};

// A life for each step at which a process can die, on either side of it, and once more while it
// recovers. In the end the books agree.
template <class Make>
void die_at_every_step(Make make) {
    constexpr int steps_max = 500;
    for (const bool work_done : {false, true}) {
        int step = 1;
        for (; step < steps_max; ++step) {
            SCOPED_TRACE(fmt::format("dies {} step {}", work_done ? "after" : "before", step));
            auto one = make();
            const bool died = one.tell({step, work_done});
            (void)one.recover({step, !work_done});
            EXPECT_FALSE(one.recover({}));
            one.expect_agreement();
            if (!died || testing::Test::HasFailure()) break;
        }
        EXPECT_GT(step, 10) << "it has that many steps at least";
        EXPECT_LT(step, steps_max);
    }
}

}  // namespace floodgate::jobs
