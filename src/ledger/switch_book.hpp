// Switches for bad nights: what an admin can turn off for the whole shop, on every node.

#pragma once

#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "ledger/audit_book.hpp"
#include "sale/ids.hpp"

namespace floodgate::ledger {

struct switches {
    bool logins = true;        // off: only staff can log in; log-ins that exist stay valid
    bool registration = true;  // off: no new accounts
    bool refunds = true;       // off: buyers cannot give orders back; staff still can
    bool sales = true;         // off: every attempt to buy is told `paused`
    std::string reason{};      // why they are as they are
    instant changed_at{};      // the epoch: never
    sale::user_id changed_by{};

    bool all_on() const { return logins && registration && refunds && sales; }
};

struct switch_change {
    std::optional<bool> logins{}, registration{}, refunds{}, sales{};  // empty: stays as it is
    std::string reason;
    sale::user_id who{};
    instant at{};
};

inline constexpr std::size_t switch_reason_bytes_max = 200;

class switch_book {
public:
    struct changed {
        switches before, after;
    };

    explicit switch_book(store::database& db) : db_(db) {}

    result<switches> read();
    // Gives what they are afterwards. Two changes at the same time come one after the other.
    result<switches> change(const switch_change& to, const audit_maker<changed>& line);

private:
    store::database& db_;
};

}  // namespace floodgate::ledger
