// Gathers the moves of all threads into few transactions, because each transaction waits for the
// disk.
//
// There is no thread and no delay for it. A caller that finds no transaction under way makes one
// and takes along the moves of all callers that wait by then. Whoever comes meanwhile waits; when
// the transaction is over, one of those makes the next. So a lone caller has a transaction to
// itself at once, and in a rush each commit is shared by many.
//
// Each caller is told its own outcome after the commit, exactly as if its move had been made alone:
//
// - Two moves of one order are never in one transaction. The second is made in a later one, and
//   sees what the first has done.
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

#include <condition_variable>
#include <mutex>
#include <vector>

#include "base/result.hpp"
#include "ledger/move_batch.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {

class move_gatherer {
public:
    // Not more than this many in one transaction, so that the clerk does not wait long for its
    // turn. 1: nothing is gathered, and every caller makes a transaction of its own, at the same
    // time as the others if the database can.
    static constexpr std::size_t moves_max_default = 256;

    explicit move_gatherer(store::database& db, std::size_t moves_max = moves_max_default)
        : db_(db), moves_max_(moves_max) {}

    // Any thread.
    result<move_outcome> make(const move_request& m);

private:
    enum class phase : std::uint8_t { waits = 1, leads, is_answered, goes_alone };
    struct caller {
        const move_request& what;
        move_answer answer{};
        phase now = phase::waits;
        std::condition_variable called{};
    };

    result<move_outcome> make_alone(const move_request& m);
    void lead();
    std::vector<caller*> gather();
    void make_together(std::vector<caller*>& batch);
    void dismiss(const std::vector<caller*>& batch, phase as);

    store::database& db_;
    const std::size_t moves_max_;

    std::mutex mutex_;
    std::vector<caller*> waiting_;  // longest first; the leader is among them until it gathers
    bool led_ = false;
};

}  // namespace floodgate::ledger
