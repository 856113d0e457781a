// For tests: a ledger that fails when told to, a gate that notes releases, and the news.

#pragma once

#include <memory>
#include <span>
#include <vector>

#include "gate/memory_gate.hpp"
#include "ledger/move_fixture.hpp"
#include "ledger/tampered_database.hpp"
#include "shop/settlement.hpp"

namespace floodgate::shop {

class BookTest : public testing::Test {
protected:
    void break_ledger() {
        how_->before = [] { throw store::sql_error(store::sql_failure::busy, "as told"); };
    }
    void mend_ledger() { how_->before = nullptr; }

    std::unique_ptr<store::database> open() {
        auto real = ledger::databases().at(1).open(directory_);  // in memory: quick
        how_->dialect = real->speaks();
        return ledger::tamper(std::move(real), how_);
    }

    ledger::scratch_directory directory_;
    std::shared_ptr<ledger::tampering> how_ = std::make_shared<ledger::tampering>();
    ledger::book_verbs verbs_{open()};
    ledger::ledger& book_ = verbs_.book();
    ledger::move_book& moves_ = book_.moves();
    ledger::move_verbs orders_{verbs_};
    sale::sale_id sale_ = verbs_.add_sale({.stock = 1000});
    manual_clock clock_{ledger::noon};
    gate::memory_gate gate_;
    std::vector<sale::order_news> news_;
    settlement settlement_{gate_, [this](std::span<const sale::order_news> all) {
                               news_.insert(news_.end(), all.begin(), all.end());
                           }};
};

}  // namespace floodgate::shop
