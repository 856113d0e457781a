// Holds a channel's daily bill against the ledger. Reads only.

#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "ledger/settlements.hpp"
#include "pay/bill_file.hpp"

namespace floodgate::shop {

struct bill_finding {
    std::string order_no{};        // as in the bill; empty: the row has no number of ours
    std::size_t line = 0;          // the order's first in the bill; 0: it has none
    sale::fen paid{}, refunded{};  // by the bill; of what is missing: by the ledger
    std::string why{};             // part of a sentence, for a person
};

struct bill_findings {
    std::size_t count = 0;
    std::vector<bill_finding> named{};  // the first of them
};

struct money_sums {
    std::size_t payments = 0, refunds = 0;
    sale::fen paid{}, refunded{};
};

struct bill_days {
    instant from, until;  // midnights in Beijing; until: no longer
};

struct bill_report {
    bool is_complete = false;         // see pay::bill
    std::optional<bill_days> days{};  // empty: the bill has no rows, and nothing was compared
    money_sums bill{};
    money_sums ledger{};        // what it learnt on those days
    bill_findings missing{};    // the ledger has money that the bill has not
    bill_findings extra{};      // the bill has money that the ledger has not
    bill_findings different{};  // both have it, with different amounts

    bool agrees() const {
        return is_complete && missing.count + extra.count + different.count == 0;
    }
};

struct bill_question {
    std::string channel;                                              // "alipay", "wechat"
    std::size_t named_max = std::numeric_limits<std::size_t>::max();  // of each kind
};

// Compared are whole days in Beijing, those on which the bill has rows. What the ledger learnt in
// the first hour of such a time may stand in the bill of the day before: that is not missing. The
// bill must have no fault. `ours` is asked on the way; the errors are its own.
result<bill_report> check_bill(const pay::bill& bill, const bill_question& q,
                               ledger::settlements& ours);

}  // namespace floodgate::shop
