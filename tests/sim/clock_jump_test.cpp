// The machine's clock is set a day forward, and a day back: no sale opens early, no unit is freed
// early, and what is due by real time happens.

#include <gtest/gtest.h>

#include "base/even_clock.hpp"
#include "base/log.hpp"
#include "gate/embedded_turnstile.hpp"
#include "jobs/deadline_closer.hpp"
#include "ledger/ledger.hpp"
#include "sale/line_in_memory.hpp"
#include "store/sql/sqlite_database.hpp"

namespace floodgate {
namespace {

using namespace std::chrono_literals;
using sale::answer;

const instant noon = from_ms(1'800'000'000'000);
instant wall_now;
milliseconds uptime_now;

class ClockJumpTest : public testing::Test {
protected:
    ClockJumpTest() {
        log::start(log::level::error);
        open_ = add_sale("now", noon - 1h);
        tomorrow_ = add_sale("tomorrow", noon + 20h);
    }
    sale::sale_id add_sale(const std::string& title, instant starts_at) {
        const auto round =
            book_.catalogue().add_round({{}, title, starts_at, starts_at + 30h}).value();
        const auto product = book_.catalogue().add_product({.title = title}).value();
        sale::sale s{.product = product, .round = round, .stock = 1, .pay_within_s = 900};
        s.id = book_.catalogue().add_sale(s, noon).value();
        EXPECT_TRUE(book_.catalogue().set_sale_state(s.id, sale::sale_state::published));
        for (const sale::sale& made : book_.catalogue().sales().value()) {
            if (made.id == s.id) {
                EXPECT_TRUE(gate_.warm_up(made));
            }
        }
        return s.id;
    }
    answer ask(sale::sale_id sale, std::int64_t buyer) {
        const auto lane = gate_.open_lane([] {});
        const sale::attempt a{.sale = sale, .buyer = {buyer}};
        lane->submit({&a, 1}, clock_.now());
        std::vector<sale::verdict> out;
        lane->collect(out);
        if (out.at(0).what == answer::accepted) {
            const sale::sequence last{line_.kept.size()};
            EXPECT_TRUE(book_.orders().enter({&line_.kept.back(), 1}, last));
        }
        return out.at(0).what;
    }
    // Real time passes; twice a second the engine looks at the clock and at what is due.
    void pass(milliseconds time) {
        for (milliseconds gone{0}; gone < time; gone += 500ms) {
            wall_now += 500ms;
            uptime_now += 500ms;
            clock_.follow();
            closer_.step();
        }
    }
    void expect_honest_time() {
        EXPECT_EQ(ask(open_, 1), answer::accepted);
        pass(800s);
        EXPECT_EQ(ask(open_, 2), answer::sold_out) << "freed early";
        EXPECT_EQ(ask(tomorrow_, 2), answer::not_started) << "opened early";
        pass(101s);
        EXPECT_EQ(ask(open_, 2), answer::accepted) << "900 s have passed";
        EXPECT_EQ(ask(tomorrow_, 2), answer::not_started);
        EXPECT_EQ(book_.orders().check().value(), ledger::findings{});
    }

    const bool begun_ = [] {
        wall_now = noon;
        uptime_now = 5000ms;
        return true;
    }();
    even_clock clock_{{[] { return wall_now; }, [] { return uptime_now; }}};
    ledger::ledger book_{store::open_sqlite({.path = ":memory:"})};
    sale::line_in_memory line_;
    gate::embedded_turnstile gate_{line_, {}};
    shop::settlement after_{gate_, {}};
    jobs::deadline_closer closer_{{book_.moves(), after_, clock_}};
    sale::sale_id open_, tomorrow_;
};

TEST_F(ClockJumpTest, ADayForward) {
    wall_now += 24h;
    expect_honest_time();
}

TEST_F(ClockJumpTest, ADayBack) {
    wall_now -= 24h;
    expect_honest_time();
}

TEST_F(ClockJumpTest, ForwardAndBackAgain) {
    EXPECT_EQ(ask(open_, 1), answer::accepted);
    for (const auto jump : {24h, -24h, -24h, 24h}) {
        wall_now += jump;
        pass(200s);
        EXPECT_EQ(ask(open_, 2), answer::sold_out);
        EXPECT_EQ(ask(tomorrow_, 2), answer::not_started);
    }
    pass(101s);
    EXPECT_EQ(ask(open_, 2), answer::accepted);
}

}  // namespace
}  // namespace floodgate
