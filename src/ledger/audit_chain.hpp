// The chain of hashes over the audit, which shows whether a line was changed, removed, inserted or
// moved: docs/adr/0023-staff-second-factors-and-a-chained-audit.md.
//
// The hash of a line is the SHA-256 of the hash before it, the line's place and its content; the
// first line follows the empty hash. Lines get their places soon after they were written, by
// audit_book::seal(), so that acts need not wait for each other.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/finding_list.hpp"
#include "ledger/audit_book.hpp"

namespace floodgate::ledger {

// In hexadecimal digits.
std::string chained_hash(std::string_view hash_before, std::int64_t place, const audit_line& line);

// Says which lines of the audit are not what was sealed.
void inspect_audit_chain(store::connection& c, findings& all);

}  // namespace floodgate::ledger
