// `floodgate bills`: holds a channel's daily bill against the ledger.

#pragma once

#include <string>
#include <vector>

#include "engine/settings.hpp"
#include "ledger/settlements.hpp"
#include "pay/bill_file.hpp"

namespace floodgate::commands {

struct bill_options {
    std::string channel;  // "alipay", "wechat"
    std::string file;
    std::string data, config;
};

// One sentence for each difference, beginning with what it is:
//   MISSING    the ledger has money that the bill has not
//   EXTRA      the bill has money that the ledger has not
//   DIFFERENT  both have it, with different amounts
//   INCOMPLETE the bill's end is not there
// Compared are whole days in Beijing, those on which the bill has rows. What the ledger learnt in
// the first hour of such a time may stand in the bill of the day before: that is not missing.
// `ours` is asked on the way. Throws std::runtime_error if the ledger fails, or if the bill cannot
// be read.
std::vector<std::string> compare_bill(const pay::bill& bill, const std::string& channel,
                                      ledger::settlements& ours);

// Prints a summary. A server may be running meanwhile. Throws std::runtime_error.
std::vector<std::string> check_bill(const engine::settings& s, const bill_options& o);

}  // namespace floodgate::commands
