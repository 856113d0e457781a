// Gathers the moves of all threads into few transactions, because each transaction waits for the
// disk.
//
// There is no thread and no delay for it. A caller that finds no transaction under way makes one
// and takes along the moves of all callers that wait by then. A caller that comes meanwhile waits;
// when the transaction is over, one of those that wait makes the next. So a lone caller has a
// transaction to itself at once, and in a rush each commit is shared by many.
//
// Each caller is told its own outcome after the commit, exactly as if its move had been made alone:
//
// - Two moves of one order are never made at the same time. The second is made in a later
//   transaction, and sees what the first has done.
// - A move that cannot be made (no such order, its state does not allow it, its rows make no sense)
//   writes nothing and is no failure of the others.
// - If a transaction fails for a reason that may be one move's alone, or because another
//   transaction was in its way, each of its callers makes its move again, alone, and the next
//   transaction does not wait for that.
// - If it fails because the store does not work, or if the answer to its commit was lost, each of
//   its callers is told so. As with a single move, nobody knows then whether it was made, and the
//   next try finds out.
//
// A caller waits as long as the database lets its own and the transaction before it wait.

#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "base/result.hpp"
#include "ledger/move_batch.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {

struct gathering {
    // Not more moves than this in one transaction, so that the clerk does not wait long for its
    // turn. 1: nothing is gathered, and every caller makes a transaction of its own, at the same
    // time as the others if the database can.
    std::size_t moves_max = 256;
    // Transactions at the same time, if the database has more than one writer. While one of them
    // is committed, another does its work; with more of them, each would gather less.
    std::size_t at_once_max = 2;
};

class move_gatherer {
public:
    move_gatherer(store::database& db, const gathering& how);

    // Any thread.
    result<move_outcome> make(const move_request& m);
    // How many callers wait for a transaction at this moment.
    std::size_t waiting() const;

private:
    // A full word, on which a thread can wait without a lock.
    enum class phase : int { waits = 1, leads, is_answered, goes_alone };
    struct caller {
        explicit caller(const move_request& m) : what(m) {}

        const move_request& what;
        move_answer answer{};
        std::atomic<phase> now{phase::waits};

        void call(phase next) {
            now = next;
            now.notify_one();
        }
    };
    // Shared, because a caller that sees its answer may leave before it has been called.
    using shared_caller = std::shared_ptr<caller>;
    using batch = std::vector<shared_caller>;

    result<move_outcome> make_alone(const move_request& m);
    void come(const shared_caller& me);
    void lead(const shared_caller& me);
    void make_together(batch& with);
    void gather(batch& with);
    void dismiss(const batch& all, phase as);

    store::database& db_;
    const std::size_t moves_max_, leaders_max_;

    mutable std::mutex mutex_;
    batch waiting_;  // longest first
    std::size_t leaders_ = 0;
    std::set<sale::order_no> in_hand_;  // the orders of all moves that are being made
};

}  // namespace floodgate::ledger
