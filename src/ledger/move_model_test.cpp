// Everything that can happen to an order with two methods, in every order: against a plain account
// of the money and of the unit, and against the real book.

#include <deque>
#include <map>
#include <numeric>
#include <random>

#include "ledger/move_fixture.hpp"
#include "ledger/paper_order.hpp"
#include "store/sql/sqlite_database.hpp"

namespace floodgate::ledger {
namespace {

enum class step : std::uint8_t {
    begin_a = 1,
    begin_b,
    a_says_paid,
    b_says_paid,
    a_says_closed,
    b_says_closed,
    cancel,
    time_out,
    ask_part,
    ask_rest,
    finish_oldest,
};
constexpr std::array<const char*, 11> step_words{
    "begin_a", "begin_b",  "a_says_paid", "b_says_paid", "a_says_closed", "b_says_closed",
    "cancel",  "time_out", "ask_part",    "ask_rest",    "finish_oldest"};
const char* to_text(step s) { return step_words.at(static_cast<std::size_t>(s) - 1); }
constexpr std::array methods{method, other_method};

const refund_wish part{.amount = {4000}}, rest{};

// The request for a step; a time-out has none.
move_request request_for(step s, const paper_order& o, instant now) {
    move_request m{.order = o.order().no, .now = now, .price = {o.order().amount}};
    const auto with = [&](move_kind kind, const char* channel) {
        m.kind = kind;
        m.method = channel;
        return m;
    };
    switch (s) {
    case step::begin_a: return with(move_kind::begin_payment, methods[0]);
    case step::begin_b: return with(move_kind::begin_payment, methods[1]);
    case step::a_says_paid: return with(move_kind::pay, methods[0]);
    case step::b_says_paid: return with(move_kind::pay, methods[1]);
    case step::a_says_closed: return with(move_kind::close, methods[0]);
    case step::b_says_closed: return with(move_kind::close, methods[1]);
    case step::cancel: m.kind = move_kind::cancel; break;
    case step::time_out: break;
    case step::ask_part: m.kind = move_kind::ask_refund, m.wish = &part; break;
    case step::ask_rest: m.kind = move_kind::ask_refund, m.wish = &rest; break;
    case step::finish_oldest:
        m.kind = move_kind::finish_refund;
        if (!o.row().asked.empty()) m.refund_number = o.row().asked.front().number;
        break;
    }
    return m;
}

move_plan plan_for(step s, const paper_order& o, instant now) {
    return s == step::time_out ? plan_time_out(o.row())
                               : plan_move(o.row(), request_for(s, o, now));
}

// What happened outside the ledger: where the money and the unit are. It knows the steps, and of
// the ledger only which moves it made.
class world {
public:
    explicit world(std::int64_t price) : price_(price) {}

    enum class owner : std::uint8_t { nobody = 1, buyer, shelf };  // nobody: it is held

    // Gives what must not be; empty: nothing.
    std::string see(step s, const paper_order& before, const move_plan& plan) {
        std::string wrong = see_money(s, before, plan);
        if (plan.event) wrong += see_unit(*plan.event);
        return wrong;
    }

    std::string compare(const paper_order& o) const {
        std::string wrong = trades_and_money(o) + questions(o);
        if (holder_of(o.order().state) != unit_) wrong += "the unit is somewhere else; ";
        std::int64_t asked = 0;
        for (const refund& r : o.row().asked) asked += r.price.money.value;
        const std::int64_t kept = sum(taken_) - sum(given_back_) - asked;
        if (unit_ != owner::buyer && kept != 0) wrong += "money is kept for nothing; ";
        if (kept < 0 || kept > price_) wrong += "more or less is kept than the unit costs; ";
        if (o.order().state == sale::order_state::paid && kept == 0) wrong += "it is for nothing; ";
        return wrong;
    }
    // When nothing is open any more: paid = delivered + refunded.
    bool adds_up(const paper_order& o) const {
        const std::int64_t delivered =
            unit_ == owner::buyer ? price_ - o.order().refunded.value : 0;
        return sum(taken_) == delivered + sum(given_back_);
    }
    std::string shown() const {
        return fmt::format("{} {} {}", sum(taken_), sum(given_back_), static_cast<int>(unit_));
    }

private:
    using amounts = std::map<std::string, std::int64_t>;
    static std::int64_t sum(const amounts& all) {
        return std::accumulate(all.begin(), all.end(), std::int64_t{0},
                               [](std::int64_t s, const auto& one) { return s + one.second; });
    }
    static owner holder_of(sale::order_state s) {
        using enum sale::order_state;
        return s == unpaid                   ? owner::nobody
               : s == paid || s == refunding ? owner::buyer
                                             : owner::shelf;
    }

    std::string see_money(step s, const paper_order& before, const move_plan& plan) {
        if (s == step::a_says_paid || s == step::b_says_paid) {
            std::int64_t& taken = taken_[s == step::a_says_paid ? methods[0] : methods[1]];
            const bool is_new = std::exchange(taken, price_) == 0;
            if (is_new != (plan.money != money_fate::none)) return "money is not booked once; ";
        } else if (plan.money != money_fate::none) {
            return "money is booked that nobody paid; ";
        }
        if (s == step::finish_oldest && plan.moves) {
            const refund& done = before.row().asked.front();
            given_back_[done.method] += done.price.money.value;
        }
        return {};
    }
    std::string see_unit(sale::order_event event) {
        using enum sale::order_event;
        const bool gives_back = event == timed_out || event == cancelled || event == refund_done;
        const owner was = unit_;
        if (event == paid) unit_ = owner::buyer;
        if (gives_back) unit_ = owner::shelf;
        if (was == owner::shelf) return "the unit moves although it was given back; ";
        if (event == paid && was != owner::nobody) return "the unit is sold twice; ";
        if (event == refund_done && was != owner::buyer) return "the unit was not the buyer's; ";
        return {};
    }
    // Each channel's money is booked once, and never goes back twice.
    std::string trades_and_money(const paper_order& o) const {
        std::string wrong;
        for (const char* m : methods) {
            const trade_row* const t = o.row().trade(m);
            const bool booked =
                t && (t->state == trade_state::paid || t->state == trade_state::extra);
            const std::int64_t taken = taken_.contains(m) ? taken_.at(m) : 0;
            if ((booked ? t->price.money.value : 0) != taken) wrong += "money is not booked; ";
            std::int64_t back = given_back_.contains(m) ? given_back_.at(m) : 0;
            for (const refund& r : o.row().asked)
                if (r.method == m) back += r.price.money.value;
            if (back > taken) wrong += "a channel gives back more than it took; ";
        }
        std::set<std::string> numbers;
        for (const auto* some : {&o.row().asked, &o.done()})
            for (const refund& r : *some)
                if (!numbers.insert(r.number).second) wrong += "two refunds have one number; ";
        return wrong;
    }
    // Nothing waits without somebody being asked.
    static std::string questions(const paper_order& o) {
        const bool closing = !o.order().closing.empty(), unpaid = holds_unpaid(o);
        if (closing && (!unpaid || !o.row().has_open_trade())) return "it is closing for nothing; ";
        for (const trade_row& t : o.row().trades) {
            const bool asked = o.is_asked_to_close(t.method);
            if (t.state != trade_state::open && asked) return "a trade is asked that is over; ";
            if (t.state != trade_state::open) continue;
            if (asked != (closing || !unpaid)) return "a trade is open, and nobody closes it; ";
            if (o.order().state == sale::order_state::closed) return "a closed order is open; ";
        }
        return {};
    }
    static bool holds_unpaid(const paper_order& o) {
        return o.order().state == sale::order_state::unpaid;
    }

    std::int64_t price_;
    amounts taken_, given_back_;
    owner unit_ = owner::nobody;
};

struct history {
    paper_order order;
    world outside;
    std::string told{};
    int length = 0;

    std::string key() const {
        return fmt::format("{}|{}|{}|{}|{}", move_verbs::shown(order.order()),
                           order.order().refunded.value, fmt::join(order.trades(), ","),
                           fmt::join(order.refunds(), ","), outside.shown());
    }
    // What is wrong after it; empty: nothing.
    std::string go(step s, instant now) {
        told.append(" ").append(to_text(s));
        ++length;
        const move_plan plan = plan_for(s, order, now);
        const std::string before = key();
        std::string wrong = outside.see(s, order, plan);
        if (plan.moves) order.apply(plan, now);
        if (!plan.moves && key() != before) wrong += "what did not move has changed; ";
        if (!plan.moves && plan.why_not == obstacle::none) wrong += "it does not say why not; ";
        return wrong + outside.compare(order);
    }
};

sale::order new_order() {
    sale::order o;
    o.no = {1001};
    o.amount = {9900};
    o.state = sale::order_state::unpaid;
    o.pay_by = noon + std::chrono::minutes(10);
    return o;
}

constexpr std::array all_steps{step::begin_a,     step::begin_b,       step::a_says_paid,
                               step::b_says_paid, step::a_says_closed, step::b_says_closed,
                               step::cancel,      step::time_out,      step::ask_part,
                               step::ask_rest,    step::finish_oldest};

// All channels answer, and every refund is finished.
void settle(history& h) {
    ASSERT_EQ(h.go(step::a_says_closed, noon), "") << h.told;
    ASSERT_EQ(h.go(step::b_says_closed, noon), "") << h.told;
    while (!h.order.row().asked.empty()) ASSERT_EQ(h.go(step::finish_oldest, noon), "") << h.told;
    EXPECT_EQ(h.order.order().closing, "") << h.told;
    EXPECT_NE(h.order.order().state, sale::order_state::refunding) << h.told;
    EXPECT_FALSE(h.order.row().has_open_trade()) << h.told;
    EXPECT_TRUE(h.outside.adds_up(h.order)) << h.told;
}

// Breadth first, until no step leads to anything new: so every history of any length is seen up to
// its last state that was not there before.
TEST(MoveModelTest, WhateverHappensInWhateverOrderTheMoneyAndTheUnitAddUp) {
    std::deque<history> open;
    open.push_back({paper_order(new_order()), world(9900)});
    std::set<std::string> seen{open.front().key()};
    int longest = 0;
    while (!open.empty()) {
        const history from = std::move(open.front());
        open.pop_front();
        longest = std::max(longest, from.length);
        history end = from;
        ASSERT_NO_FATAL_FAILURE(settle(end));
        for (const step s : all_steps) {
            history next = from;
            ASSERT_EQ(next.go(s, noon), "") << next.told;
            if (seen.insert(next.key()).second) open.push_back(std::move(next));
        }
    }
    EXPECT_GE(longest, 6);
    EXPECT_GT(seen.size(), 150U);
    RecordProperty("states", static_cast<int>(seen.size()));
}

class MoveModelBookTest : public testing::Test {
protected:
    // Makes the step in the book and on paper, and compares them.
    void go(step s, const sale::promise& p, history& h, instant now) {
        const move_plan plan = plan_for(s, h.order, now);
        const auto got = made(s, p, h, now);
        ASSERT_EQ(h.go(s, now), "") << h.told;
        ASSERT_EQ(got.moved, plan.moves) << h.told;
        ASSERT_EQ(got.money, plan.money) << h.told;
        ASSERT_EQ(got.event != 0, plan.event.has_value()) << h.told;
        if (s != step::time_out) {
            ASSERT_EQ(got.why_not, plan.why_not) << h.told;
        }
        const auto stored = orders_.find(p);
        for (const sale::order& o : {got.order, stored}) {
            ASSERT_EQ(move_verbs::shown(o), move_verbs::shown(h.order.order())) << h.told;
            ASSERT_EQ(o.refunded, h.order.order().refunded) << h.told;
        }
        ASSERT_EQ(orders_.trades(p), h.order.trades()) << h.told;
        auto refunds = orders_.refunds(p);
        std::ranges::sort(refunds);
        ASSERT_EQ(refunds, h.order.refunds()) << h.told;
    }
    move_outcome made(step s, const sale::promise& p, const history& h, instant now) {
        if (s == step::time_out) return orders_.time_out(p);
        const move_request m = request_for(s, h.order, now);
        const std::string with(m.method), number(m.refund_number);
        move_book& moves = verbs_.book().moves();
        switch (m.kind) {
        case move_kind::begin_payment:
            return moves.begin_payment(p.order, p.buyer, {with, m.price}, now).value();
        case move_kind::cancel: return moves.cancel(p.order, p.buyer, now).value();
        case move_kind::ask_refund: return moves.ask_refund(p.order, {}, *m.wish, now).value();
        case move_kind::pay: return moves.pay(p.order, with, now).value();
        case move_kind::close: return moves.close(p.order, with, now).value();
        case move_kind::finish_refund: return moves.finish_refund(p.order, number, now).value();
        case move_kind::pay_by_hand: return moves.pay_by_hand(p.order, {}, now).value();
        case move_kind::pay_reserved:
        case move_kind::note: break;
        }
        throw std::logic_error("no such step");
    }

    book_verbs verbs_{store::open_sqlite({.path = ":memory:"})};
    move_verbs orders_{verbs_};
    sale::sale_id sale_ = verbs_.add_sale({.stock = 1'000'000});
};

TEST_F(MoveModelBookTest, TheBookDoesAsThePaperSays) {
    constexpr int walks = 2000, steps = 10;
    std::minstd_rand random(20261117);
    for (int walk = 1; walk <= walks; ++walk) {
        const auto p = orders_.order(sale_, walk);
        history h{paper_order(orders_.find(p)), world(9900)};
        for (int i = 1; i <= steps; ++i)
            ASSERT_NO_FATAL_FAILURE(
                go(all_steps.at(random() % all_steps.size()), p, h, p.at + milliseconds(i)));
        orders_.pay(p);  // so that the next order's time-out does not find it
    }
    EXPECT_THAT(verbs_.check(), testing::IsEmpty());
    EXPECT_EQ(verbs_.held(sale_),
              verbs_.number("SELECT COUNT(*) FROM orders WHERE state IN ('paid', 'refunding')"));
}

}  // namespace
}  // namespace floodgate::ledger
