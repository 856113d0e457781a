// For tests of move_gatherer: a crowd of moves that are certain to meet in one transaction.

#pragma once

#include <deque>
#include <latch>
#include <mutex>
#include <thread>

#include "base/eventually.hpp"
#include "ledger/move_fixture.hpp"
#include "ledger/move_gatherer.hpp"
#include "ledger/tampered_database.hpp"

namespace floodgate::ledger {

using answers = std::vector<result<move_outcome>>;

class GatheringTest : public testing::TestWithParam<database_kind> {
protected:
    std::unique_ptr<store::database> open() {
        auto real = GetParam().open(directory_);
        how_->dialect = real->speaks();
        return tamper(std::move(real), how_);
    }
    bool is_sqlite() { return verbs_.db().speaks().name == store::sqlite_dialect.name; }

    // A refund is of everything, and the one that is finished is the oldest.
    move_request request(move_kind kind, const sale::promise& p) {
        move_request m{.kind = kind, .order = p.order, .now = p.at, .method = method};
        m.price = move_verbs::price_of(p);
        if (kind == move_kind::ask_refund) m.wish = &everything_;
        if (kind == move_kind::finish_refund) m.refund_number = kept(orders_.oldest_refund(p));
        return m;
    }
    std::vector<sale::promise> new_orders(std::int64_t count, sale::sale_id sale) {
        std::vector<sale::promise> all;
        for (std::int64_t i = 0; i < count; ++i) all.push_back(verbs_.promise(sale, ++buyer_));
        verbs_.enter(all);
        return all;
    }
    std::vector<move_request> requests(move_kind kind, const std::vector<sale::promise>& orders) {
        std::vector<move_request> all;
        for (const sale::promise& p : orders) all.push_back(request(kind, p));
        return all;
    }

    // Makes all moves at once. The transaction that comes first gathers when it has begun, so it is
    // held there until all other callers wait.
    answers together(const std::vector<move_request>& moves) {
        std::latch all_wait(1);
        std::atomic<bool> first = true, all_here = false;
        how_->before = [&] {
            if (all_here && before_) before_();
        };
        how_->after = [&](std::string_view sql) {
            if (sql == "BEGIN" && first.exchange(false)) all_wait.wait();
            if (sql == "BEGIN") ++begun_;
            if (after_) after_(sql);
        };
        answers got(moves.size(), errc::invalid);
        {
            std::vector<std::jthread> callers;
            callers.reserve(moves.size());
            for (std::size_t i = 0; i < moves.size(); ++i)
                callers.emplace_back([&, i] { got[i] = gatherer_.make(moves[i]); });
            EXPECT_TRUE(eventually([&] { return gatherer_.waiting() == moves.size() - 1; }));
            all_here = true;
            all_wait.count_down();
        }
        how_->before = nullptr;
        how_->after = nullptr;
        return got;
    }

    // A request only refers to the number.
    std::string_view kept(const result<std::string>& number) {
        const std::lock_guard lock(mutex_);
        return numbers_.emplace_back(number.value());
    }

    const refund_wish everything_{};
    std::mutex mutex_;
    std::deque<std::string> numbers_;
    scratch_directory directory_;
    std::shared_ptr<tampering> how_ = std::make_shared<tampering>();
    book_verbs verbs_{open()};
    move_verbs orders_{verbs_};
    sale::sale_id sale_ = verbs_.add_sale({.stock = 1000});
    move_gatherer gatherer_{verbs_.db(), {.moves_max = 100, .at_once_max = 1}};
    std::function<void()> before_;                 // each statement of the gathered moves
    std::function<void(std::string_view)> after_;  // each statement, BEGIN and COMMIT
    std::atomic<int> begun_ = 0;                   // transactions
    std::int64_t buyer_ = 0;
};

}  // namespace floodgate::ledger
