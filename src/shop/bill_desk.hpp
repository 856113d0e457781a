// An admin's check of a channel's daily bill, with an audit line.

#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "ledger/ledger.hpp"
#include "shop/audit_trail.hpp"
#include "shop/bill_check.hpp"

namespace floodgate::shop {

struct checked_bill {
    // Why the file could not be read, and in which line, if one is to blame. Then nothing was
    // compared, and there is no audit line.
    std::string fault{};
    std::size_t fault_line = 0;
    bill_report report{};
};

// Any thread that may block.
class bill_desk {
public:
    explicit bill_desk(ledger::ledger& book) : book_(book) {}

    // Reads the file and compares it. overloaded: another check is under way. There is never more
    // than one, because a long one holds its thread and its memory. Also the errors of the ledger.
    result<checked_bill> check(std::string_view file, const bill_question& q, const signature& by);

private:
    ledger::ledger& book_;
    std::mutex one_at_a_time_;
};

}  // namespace floodgate::shop
