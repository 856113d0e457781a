// The whole engine except its sockets, through power cuts. One seed gives one history.
//
// It uses the gate, the journal on a disk that loses power, the clerk and a real ledger. A crowd
// asks, the disk syncs, the clerk enters, and now and then the machine stops in the middle of a
// write; then everything is rebuilt from ledger and journal. Buyers pay, cancel and forget to pay.
// Every acknowledged promise must be there, nothing may be sold twice, every unit that came back
// must be sold again, "sold out" must have been true, a buyer who gave a unit back must wait, also
// across a power cut, and in the end the whole stock must be sold.
//
//   FLOODGATE_SEEDS=10000 build/clang/engine_sim_test     for a longer run

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>

#include "base/log.hpp"
#include "clerk/desk.hpp"
#include "clerk/ledger_sink.hpp"
#include "gate/embedded_turnstile.hpp"
#include "shop/gate_loader.hpp"
#include "shop/settlement.hpp"
#include "shop/silent_node.hpp"
#include "store/files/simulated_files.hpp"
#include "store/sql/sqlite_database.hpp"

namespace floodgate {
namespace {

const instant noon = from_ms(1'800'000'000'000);
constexpr std::int64_t buyers = 60;
constexpr milliseconds cool_down{40};  // some ten attempts

struct sale_plan {
    std::int64_t stock;
    std::uint32_t limit;
};
constexpr sale_plan plans[] = {{25, 1}, {40, 3}};

class history {
public:
    explicit history(std::uint64_t seed)
        : random_(seed),
          power_(store::seeded_choices(seed)),
          book_(store::open_sqlite({.path = ":memory:"})) {
        const auto round = book_.catalogue().add_round(
            {.title = "r", .starts_at = noon, .ends_at = noon + std::chrono::hours(1000)});
        for (const sale_plan& plan : plans) {
            const auto product = book_.catalogue().add_product({.title = "p"});
            const auto id = book_.catalogue().add_sale(
                {.product = *product, .round = *round, .stock = plan.stock, .limit = plan.limit},
                noon);
            EXPECT_TRUE(book_.catalogue().set_sale_state(*id, sale::sale_state::published));
            sales_.push_back(*id);
        }
        start();
    }

    void live(int steps) {
        for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
            clock_.advance(milliseconds(pick(5)));
            switch (pick(15)) {
            case 0: power_cut(); break;
            case 1: power_cut_during_a_commit(); break;
            case 2:
            case 3: EXPECT_NE(desk_->step(), clerk::outcome::corrupt); break;
            case 4:
            case 5:
            case 6: commit(); break;
            case 7: cancel(); break;
            case 8: pay(); break;
            case 9: deadlines_pass(); break;
            default: ask(); break;
            }
        }
    }

    // The rest of the stock is sold, the clerk catches up, and every book is compared.
    void finish() {
        clock_.advance(cool_down);
        for (int i = 0; i < 20; ++i) {
            for (std::int64_t b = 1; b <= buyers; ++b)
                for (const auto id : sales_) submit({.sale = id, .buyer = {b}});
            commit();
        }
        while (desk_->step() != clerk::outcome::nothing) {
        }
        for (std::size_t i = 0; i < sales_.size(); ++i)
            EXPECT_EQ(turnstile_->look_up(sales_[i])->taken, plans[i].stock) << "not all was sold";
        const auto figures = book_.catalogue().figures();
        for (std::size_t i = 0; i < sales_.size(); ++i)
            EXPECT_EQ((*figures)[i].held, plans[i].stock) << "gate and ledger differ";
        EXPECT_EQ(*book_.orders().check(), ledger::findings{});
        for (const auto& [no, a] : acknowledged_) {
            const auto order = book_.orders().find(no);
            ASSERT_TRUE(order) << "acknowledged and lost: " << no.value;
            EXPECT_EQ(order->buyer, a.buyer);
            EXPECT_EQ(order->sale, a.sale);
            EXPECT_EQ(order->quantity, a.quantity);
            const auto moved = moved_.find(no);
            EXPECT_EQ(order->state,
                      moved == moved_.end() ? sale::order_state::unpaid : moved->second);
        }
    }

    int crashes() const { return crashes_; }
    int waits() const { return waits_; }

private:
    std::int64_t pick(int n) {
        return static_cast<std::int64_t>(random_() % static_cast<unsigned>(n));
    }

    // As embedded_ports.cpp and shop_server.cpp do it.
    void start() {
        const auto entered = book_.orders().position();
        line_ = std::make_unique<journal::journal>(
            disk_, journal::options{.directory = "journal", .segment_bytes = 4096}, *entered);
        turnstile_ =
            std::make_unique<gate::embedded_turnstile>(*line_, gate::embedded_turnstile::options{});
        shop::restore_gate(book_, *line_, *turnstile_, {.entered = *entered, .now = clock_.now()},
                           {.cool_down = cool_down});
        lane_ = turnstile_->open_lane([] {});
        desk_ = std::make_unique<clerk::desk>(
            clerk::desk::world{*line_, sink_, *turnstile_, clock_, node_},
            clerk::options{.batch_max = 7}, *entered);
        after_ = std::make_unique<shop::settlement>(*turnstile_, nullptr, cool_down);
        for (const auto& [no, a] : acknowledged_) expect_known(no, a);
    }

    void stop() {
        desk_.reset();
        after_.reset();
        lane_.reset();
        turnstile_.reset();
        line_.reset();
        asked_.clear();
    }

    void power_cut() {
        ++crashes_;
        disk_.crash(power_);
        stop();
        disk_.crash(power_);  // writes of the stop itself may be lost too
        start();
    }

    void power_cut_during_a_commit() {
        ask();
        disk_.cut_power_at(1 + static_cast<std::uint64_t>(pick(4)));
        commit();
        power_cut();
    }

    void expect_known(sale::order_no no, const sale::attempt& a) {
        bool held = false;
        for (const auto& p : turnstile_->promised_to(a.buyer)) held = held || p.order == no;
        EXPECT_EQ(held, !is_closed(no)) << "order " << no.value << " of buyer " << a.buyer.value;
    }

    bool is_closed(sale::order_no no) const {
        const auto moved = moved_.find(no);
        return moved != moved_.end() && moved->second == sale::order_state::closed;
    }

    // The move is in the ledger. Now and then the power fails before the gate hears of it.
    void follow(const ledger::move_outcome& m) {
        if (!m.moved) return;
        moved_[m.order.no] = m.order.state;
        if (m.order.state == sale::order_state::closed) {
            sold_out_.erase(m.order.sale.value);
            returned_[m.order.sale.value] = asked_last_;
            let_go(m);
        }
        after_->settle(m);
    }

    void cancel() {
        const auto some = somebodys_order();
        if (!some) return;
        const auto done = book_.moves().cancel(some->first, some->second.buyer, clock_.now());
        if (!done) return;  // not in the book yet
        if (pick(3) != 0) return follow(*done);
        if (done->moved) {
            moved_[some->first] = done->order.state;
            let_go(*done);
        }
        sold_out_.erase(some->second.sale.value);
        returned_[some->second.sale.value] = asked_last_;
        power_cut();
    }

    void let_go(const ledger::move_outcome& m) {
        cools_until_[{m.order.sale.value, m.order.buyer.value}] = m.at + cool_down;
    }

    void pay() {
        if (const auto some = somebodys_order())
            if (const auto done = book_.moves().pay(some->first, "test", clock_.now()))
                follow(*done);
    }

    void deadlines_pass() {
        clock_.advance(std::chrono::minutes(16));
        while (true) {
            const auto due = book_.moves().close_due(clock_.now(), 10);
            for (const auto& m : due->closed) follow(m);
            if (due->found < 10) return;
        }
    }

    std::optional<std::pair<sale::order_no, sale::attempt>> somebodys_order() {
        if (acknowledged_.empty()) return std::nullopt;
        return *std::next(acknowledged_.begin(), pick(static_cast<int>(acknowledged_.size())));
    }

    void ask() {
        sale::attempt a{.sale = sales_[static_cast<std::size_t>(pick(2))],
                        .buyer = {1 + pick(buyers)},
                        .quantity = static_cast<std::uint32_t>(1 + pick(2))};
        if (pick(4) == 0) a.key[0] = static_cast<std::byte>(a.buyer.value);
        submit(a);
    }

    void submit(sale::attempt a) {
        a.reply_to = ++asked_last_;
        asked_[a.reply_to] = a;
        if (clock_.now() < cools_until_[{a.sale.value, a.buyer.value}]) cooling_.insert(a.reply_to);
        lane_->submit({&a, 1}, clock_.now());
        if (pick(3) == 0) collect();
    }

    void commit() {
        line_->commit();
        collect();
    }

    // What buyers hear. From here on it must be true, whatever happens.
    void collect() {
        std::vector<sale::verdict> told;
        lane_->collect(told);
        for (const sale::verdict& v : told) {
            const sale::attempt& a = asked_.at(v.reply_to);
            if (v.what == sale::answer::accepted || v.what == sale::answer::repeated) {
                const auto known = acknowledged_.emplace(v.order, a);
                EXPECT_EQ(known.first->second.buyer, a.buyer) << "one number for two buyers";
                if (a.key != sale::no_key) {
                    EXPECT_EQ(ordered_under_.emplace(a.key, v.order).first->second, v.order)
                        << "two orders under one key";
                }
            }
            // A verdict from before a unit came back says nothing about the present.
            if (v.what == sale::answer::sold_out && v.reply_to > returned_[a.sale.value])
                sold_out_.insert(a.sale.value);
            if (v.what == sale::answer::cooling_down) {
                EXPECT_TRUE(cooling_.contains(v.reply_to)) << "nothing to wait for";
                ++waits_;
            }
            if (v.what == sale::answer::accepted) {
                EXPECT_FALSE(cooling_.contains(v.reply_to)) << "sold to a buyer who has to wait";
                EXPECT_FALSE(sold_out_.contains(a.sale.value)) << "sold after it was sold out";
            }
        }
    }

    std::mt19937_64 random_;
    store::chooser power_;
    store::simulated_files disk_;
    ledger::ledger book_;
    manual_clock clock_{noon};
    std::vector<sale::sale_id> sales_;
    std::uint64_t asked_last_ = 0;
    int crashes_ = 0, waits_ = 0;
    std::map<std::uint64_t, sale::attempt> asked_;
    std::map<sale::order_no, sale::attempt> acknowledged_;
    std::map<sale::idempotency_key, sale::order_no> ordered_under_;
    std::set<std::int64_t> sold_out_;
    std::map<sale::order_no, sale::order_state> moved_;
    std::map<std::int64_t, std::uint64_t> returned_;  // by sale: the latest attempt at that time
    std::map<std::pair<std::int64_t, std::int64_t>, instant> cools_until_;  // by sale and buyer
    std::set<std::uint64_t> cooling_;  // attempts of buyers who had to wait

    std::unique_ptr<journal::journal> line_;
    std::unique_ptr<gate::embedded_turnstile> turnstile_;
    std::unique_ptr<gate::lane> lane_;
    clerk::ledger_sink sink_{book_, sale::journal_line, clock_};
    shop::silent_node node_;
    std::unique_ptr<clerk::desk> desk_;
    std::unique_ptr<shop::settlement> after_;
};

TEST(EngineSimulation, KeepsEveryPromiseThroughPowerCuts) {
    const char* wanted = std::getenv("FLOODGATE_SEEDS");
    const std::uint64_t seeds = wanted ? std::strtoull(wanted, nullptr, 10) : 150;
    int crashes = 0, waits = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        history h(seed);
        h.live(200);
        h.finish();
        crashes += h.crashes();
        waits += h.waits();
        if (HasFailure()) return;
    }
    EXPECT_GT(crashes, static_cast<int>(seeds) * 10) << "the power should go often";
    EXPECT_GT(waits, 0) << "some buyers should have to wait";
}

}  // namespace
}  // namespace floodgate
