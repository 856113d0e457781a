// For tests: a real ledger, a gate that notes releases, and orders that were not bought at a gate.

#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "alarm/board.hpp"
#include "clerk/stand_ins.hpp"
#include "ledger/ledger_fixture.hpp"
#include "ledger/tampered_database.hpp"
#include "shop/settlement.hpp"

namespace floodgate::jobs {

using clerk::noon;

class BookTest : public testing::Test {
protected:
    std::unique_ptr<store::database> open() {
        auto real = ledger::databases().at(1).open(directory_);  // in memory: quick
        how_->dialect = real->speaks();
        return ledger::tamper(std::move(real), how_);
    }
    void break_ledger() {
        how_->before = [] { throw store::sql_error(store::sql_failure::busy, "as told"); };
    }
    // The ledger fails after the first statement that begins so.
    void break_ledger_after(const std::string& beginning) {
        how_->after = [this, beginning](std::string_view sql) {
            if (sql.starts_with(beginning)) break_ledger();
        };
    }
    void mend_ledger() { how_->before = nullptr, how_->after = nullptr; }

    // An unpaid order, made now; its deadline is ten minutes later.
    sale::order buy(std::int64_t buyer) {
        sale::promise p = verbs_.promise(sale_, buyer);
        p.at = clock_.now();
        verbs_.enter({p});
        return now(p.order);
    }
    // The same with a payment begun.
    sale::order buy_with(std::int64_t buyer, const std::string& method) {
        sale::order o = buy(buyer);
        EXPECT_TRUE(
            moves_.begin_payment(o.no, o.buyer, {method, {o.amount}}, clock_.now()).value().moved);
        return o;
    }
    sale::order now(sale::order_no no) { return book_.orders().find(no).value(); }
    std::string state(sale::order_no no) {
        const sale::order o = now(no);
        return o.reason.empty() ? to_text(o.state) : to_text(o.state) + (" " + o.reason);
    }
    std::int64_t held() { return verbs_.held(sale_); }

    void expect_books_agree() { EXPECT_THAT(verbs_.check(), testing::IsEmpty()); }
    void expect_returned(const std::vector<sale::order_no>& expected) {
        EXPECT_EQ(gate_.released, expected);
    }
    // The news of an order, in the order in which they were told.
    std::vector<std::string> told(sale::order_no no) {
        std::vector<std::string> words;
        for (const sale::order_news& n : news_)
            if (n.what.no == no)
                words.push_back(to_text(n.what.state) +
                                (n.what.closing.empty() ? "" : " closing " + n.what.closing));
        return words;
    }

    ledger::scratch_directory directory_;
    std::shared_ptr<ledger::tampering> how_ = std::make_shared<ledger::tampering>();
    ledger::book_verbs verbs_{open()};
    ledger::ledger& book_ = verbs_.book();
    ledger::move_book& moves_ = book_.moves();
    ledger::refund_book& refunds_ = book_.refunds();
    sale::sale_id sale_ = verbs_.add_sale({.stock = 5000});
    manual_clock clock_{noon};
    clerk::memory_gate gate_;
    std::vector<sale::order_news> news_;
    shop::settlement after_{gate_, [this](std::span<const sale::order_news> all) {
                                news_.insert(news_.end(), all.begin(), all.end());
                            }};
    alarm::board alarms_;
};

}  // namespace floodgate::jobs
