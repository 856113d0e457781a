// For tests: a real ledger, a real gate and a line in memory, with the verbs of a sale, and a
// reconciler that looks at them.

#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gate/embedded_turnstile.hpp"
#include "jobs/reconciler.hpp"
#include "ledger/ledger_fixture.hpp"
#include "sale/line_in_memory.hpp"
#include "shop/catalogue_desk.hpp"
#include "shop/node_fixture.hpp"

namespace floodgate::jobs {

// The line as the clerk reads it.
class kept_source final : public sale::promise_source {
public:
    explicit kept_source(const sale::line_in_memory& line) : line_(line) {}
    result<void> read(sale::sequence after, std::size_t max,
                      std::vector<sale::promise>& out) override {
        out.clear();
        for (std::size_t i = after.value; i < line_.kept.size() && out.size() < max; ++i)
            out.push_back(line_.kept[i]);
        return {};
    }
    void entered(sale::sequence) override {}
    sale::sequence durable() const override { return line_.durable(); }

private:
    const sale::line_in_memory& line_;
};

// The gate; a test can make something happen right before or after it is looked at.
class eventful_gate final : public gate::turnstile {
public:
    explicit eventful_gate(gate::turnstile& inner) : inner_(inner) {}
    std::function<void()> after_look, before_look;

    std::unique_ptr<gate::lane> open_lane(std::function<void()> wake) override {
        return inner_.open_lane(std::move(wake));
    }
    result<void> warm_up(const sale::sale& s) override { return inner_.warm_up(s); }
    result<void> forget(const sale::sale& s) override { return inner_.forget(s); }
    void release(const returned& r) override { inner_.release(r); }
    std::optional<gate::standing> look_up(sale::sale_id s) override {
        if (before_look) before_look();
        auto seen = inner_.look_up(s);
        if (after_look) after_look();
        return seen;
    }
    std::vector<promised> promised_to(sale::user_id b) override { return inner_.promised_to(b); }
    std::vector<gate::held_unit> held_in(sale::sale_id s) override { return inner_.held_in(s); }
    result<void> retake(const sale::promise& p) override { return inner_.retake(p); }

private:
    gate::turnstile& inner_;
};

class ReconcilerTest : public testing::Test {
protected:
    // In memory is quick, but there a reader waits for a writer.
    enum class book_in { file = 1, memory };
    explicit ReconcilerTest(book_in where = book_in::memory)
        : verbs_(ledger::databases().at(where == book_in::file ? 0 : 1).open(directory_)) {}

    // A sale that is published and loaded.
    sale::sale_id open_sale(std::int64_t stock, std::uint32_t limit = 1) {
        const auto id = verbs_.add_sale({stock, limit});
        EXPECT_TRUE(warm_up(id).has_value());
        return id;
    }

    result<void> warm_up(sale::sale_id id) {
        const auto done = desk_.warm_up(id, {});
        if (!done) return done.error();
        return {};
    }

    // The order's number; 0 when the gate refused.
    sale::order_no buy(sale::sale_id sale, std::int64_t buyer, std::uint32_t quantity = 1) {
        const auto lane = turnstile_.open_lane([] {});
        const sale::attempt a{.sale = sale, .buyer = {buyer}, .quantity = quantity};
        lane->submit({&a, 1}, ledger::noon);
        std::vector<sale::verdict> out;
        lane->collect(out);
        return out.at(0).what == sale::answer::accepted ? out[0].order : sale::order_no{};
    }
    const sale::promise& promise(sale::order_no no) {
        for (const sale::promise& p : line_.kept)
            if (p.order == no) return p;
        throw std::runtime_error("no such promise");
    }
    void enter(std::size_t count = 1'000'000) {
        const std::size_t end = std::min(line_.kept.size(), entered_ + count);
        const std::vector<sale::promise> batch(
            line_.kept.begin() + static_cast<std::ptrdiff_t>(entered_),
            line_.kept.begin() + static_cast<std::ptrdiff_t>(end));
        if (batch.empty()) return;
        entered_ = end;
        const auto report = book_.orders().enter(batch, sale::sequence{entered_}).value();
        for (const sale::order& o : report.orders)
            if (o.state == sale::order_state::failed) release(o.no);
    }
    void put_aside_next() {
        if (entered_ == line_.kept.size()) return;
        const sale::promise& p = line_.kept[entered_++];
        ASSERT_TRUE(book_.letters()
                        .put_aside(p, sale::sequence{entered_},
                                   {.cause = "locked", .next_try = now_, .now = now_})
                        .has_value());
    }
    void release(sale::order_no no) {
        const sale::promise& p = promise(no);
        turnstile_.release(p.sale, p.buyer, no);
    }
    void close(sale::order_no no) {  // in the book, then at the gate
        verbs_.close(no);
        release(no);
    }
    void sql(const std::string& text) { verbs_.sql(text); }

    void look(int times = 1) {
        for (int i = 0; i < times; ++i) {
            now_ += milliseconds(500);
            ASSERT_TRUE(reconciler_.step(now_).has_value());
        }
    }
    sale::balance balance(sale::sale_id id) {
        for (const auto& b : reconciler_.latest().sales)
            if (b.sale == id) return b;
        ADD_FAILURE() << "no balance of sale " << id.value;
        return {};
    }
    bool alarmed() { return !board_.standing().empty(); }
    std::string all_differences(sale::sale_id id) {
        std::string out;
        for (const auto& d : balance(id).differences) out += d + "\n";
        return out;
    }

    ledger::scratch_directory directory_;
    ledger::book_verbs verbs_;
    ledger::ledger& book_ = verbs_.book();
    sale::line_in_memory line_;
    kept_source source_{line_};
    gate::embedded_turnstile turnstile_{line_, {}};
    eventful_gate gate_{turnstile_};
    shop::noting_node node_;
    manual_clock clock_{ledger::noon};
    shop::catalogue_desk desk_{book_, gate_, node_, clock_};
    alarm::board board_;
    std::size_t entered_ = 0;
    instant now_ = ledger::noon;
    std::vector<sale::sale_id> paused_;
    boost::system::error_code pause_fails_with_;
    shop::journal_in_flight between_{book_, source_, [this] { return line_.durable(); }};
    reconciler reconciler_{{.orders = {book_, gate_, between_},
                            .board = board_,
                            .pause = [this](sale::sale_id id, const std::string&) -> result<void> {
                                if (pause_fails_with_) return pause_fails_with_;
                                paused_.push_back(id);
                                const auto done = desk_.pause(id, {.why = "it differs"});
                                if (!done) return done.error();
                                return {};
                            },
                            .warm_up = [this](sale::sale_id id) { return warm_up(id); },
                            .changing_stock = [this] { return desk_.changing_stock(); },
                            .node = node_}};
};

}  // namespace floodgate::jobs
