// A database for one task of a cluster. It writes only while this node holds the task.
//
// Only here is it noticed that a lease ran out while its holder was stopped. Every write
// transaction first presents its fencing number to the ledger, which refuses it if a higher one has
// been given out since. The row that this changes stays locked until the commit, so a new holder
// waits for the last write of the old one.

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

// `current` gives the fence that this node holds at that moment, empty when it holds none; any
// thread may call it. Without a fence, or with one that was raised since, a write throws sql_error
// (fenced) and nothing is written; the log says so once for each fence, however often this node
// still tries. A change outside a transaction gets one of its own. Reads are not checked. `inner`
// is shared and must outlive the result; its schema must be up to date.
std::unique_ptr<store::database> fenced(store::database& inner,
                                        std::function<std::optional<fence>()> current);

}  // namespace floodgate::ledger
