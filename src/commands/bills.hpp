// `floodgate bills`: holds a channel's daily bill against the ledger.

#pragma once

#include <string>
#include <vector>

#include "engine/settings.hpp"
#include "shop/bill_check.hpp"

namespace floodgate::commands {

struct bill_options {
    std::string channel;  // "alipay", "wechat"
    std::string file;
    std::string data, config;
};

// One sentence for each finding that the report names, beginning with what it is: MISSING, EXTRA or
// DIFFERENT, as shop/bill_check.hpp has it, or INCOMPLETE, when the bill's end is not there.
std::vector<std::string> sentences_about(const shop::bill_report& report);

// Prints a summary. A server may be running meanwhile. Throws std::runtime_error.
std::vector<std::string> check_bill(const engine::settings& s, const bill_options& o);

}  // namespace floodgate::commands
