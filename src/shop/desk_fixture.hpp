// For tests: the catalogue desk over a real ledger that can be made to fail, and a real gate.

#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gate/embedded_turnstile.hpp"
#include "gate/forwarding_turnstile.hpp"
#include "ledger/ledger_fixture.hpp"
#include "ledger/tampered_database.hpp"
#include "sale/line_in_memory.hpp"
#include "shop/catalogue_desk.hpp"
#include "shop/node_fixture.hpp"

namespace floodgate::shop {

// A gate that can be unreachable, like one in Redis.
class distant_gate final : public gate::forwarding_turnstile {
public:
    using forwarding_turnstile::forwarding_turnstile;
    bool away = false;
    bool rebuilding = false;               // takes terms, but does not know yet what it holds
    std::function<void()> told = [] {};    // after it has taken terms
    std::function<void()> looked = [] {};  // before it says what it holds

    result<void> warm_up(const sale::sale& s) override {
        if (away) return errc::store_unavailable;
        const auto taken = inner_.warm_up(s);
        told();
        return taken;
    }
    std::optional<gate::standing> look_up(sale::sale_id s) override {
        looked();
        if (away || rebuilding) return std::nullopt;
        return inner_.look_up(s);
    }
};

class DeskTest : public testing::Test {
protected:
    std::unique_ptr<store::database> open() {
        auto real = ledger::databases().front().open(directory_);
        how_->dialect = real->speaks();
        return tamper(std::move(real), how_);
    }
    void ledger_fails() {
        how_->before = [] {
            throw store::sql_error(store::sql_failure::other, "the disk is gone");
        };
    }
    void ledger_works() { how_->before = {}; }

    // Published and loaded.
    sale::sale_id open_sale(std::int64_t stock = 5) {
        const auto id = verbs_.add_sale({.stock = stock});
        EXPECT_TRUE(desk_.warm_up(id, {}).has_value());
        return id;
    }
    sale::answer buy(sale::sale_id id, std::int64_t buyer) {
        const auto lane = turnstile_.open_lane([] {});
        const sale::attempt a{.sale = id, .buyer = {buyer}};
        lane->submit({&a, 1}, ledger::noon);
        std::vector<sale::verdict> out;
        lane->collect(out);
        return out.at(0).what;
    }
    sale::sale_state in_book(sale::sale_id id) {
        return book_.catalogue().find_sale(id).value().state;
    }
    std::vector<ledger::audit_line> audit() { return book_.audit().list(0, 100).value(); }
    // Newest first.
    std::vector<std::string> actions() {
        std::vector<std::string> out;
        for (const ledger::audit_line& l : audit()) out.push_back(l.action);
        return out;
    }
    void step_after(milliseconds time) {
        clock_.advance(time);
        desk_.step();
    }

    ledger::scratch_directory directory_;
    std::shared_ptr<ledger::tampering> how_ = std::make_shared<ledger::tampering>();
    ledger::book_verbs verbs_{open()};
    ledger::ledger& book_ = verbs_.book();
    manual_clock clock_{ledger::noon};
    sale::line_in_memory line_;
    gate::embedded_turnstile turnstile_{line_, {}};
    distant_gate gate_{turnstile_};
    noting_node node_;
    catalogue_desk desk_{book_, gate_, node_, clock_};
    const actor admin_{.who = {7}};
};

}  // namespace floodgate::shop
