// A database for one task of a cluster: it writes only while the task is this node's.
//
// A lease that ran out while its holder was stopped is noticed here and nowhere else: every write
// transaction first shows its fencing number to the book, which knows whether a higher one has been
// given out since. The row it touches for that stays locked until the commit, so a new holder waits
// for the last write of the old one.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "store/sql/sql.hpp"

namespace floodgate::ledger {

struct fence {
    std::string name;
    std::uint64_t number = 0;  // from fence_book::raise
};

// `current` gives the fence this node holds at that moment, nothing when it holds none; any thread
// may call it. Without one, or with one that was raised since, a write throws sql_error (fenced)
// and nothing is written; a change outside of a transaction gets one of its own. Reads pass.
// `inner` is shared and outlives it; its schema is up to date.
std::unique_ptr<store::database> fenced(store::database& inner,
                                        std::function<std::optional<fence>()> current);

}  // namespace floodgate::ledger
