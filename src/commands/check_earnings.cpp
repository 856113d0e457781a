#include "commands/check_earnings.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "base/finding_list.hpp"
#include "base/or_throw.hpp"
#include "ledger/earning_book.hpp"
#include "points/account_book.hpp"

namespace floodgate::commands {
namespace {

using ledger::earning;
using ledger::earning_state;
using points::tried_earn;
using points::try_state;

// What is wrong with an earning; empty if nothing is. The accounts are changed before the ledger,
// so they may be one step ahead.
std::string oddity(const earning& e, const tried_earn* tried) {
    if (e.state == earning_state::owed) return {};
    if (!tried) return "the accounts do not know them";
    if (e.state == earning_state::gone && tried->state != try_state::cancelled)
        return fmt::format("the accounts have them: {}", to_text(tried->state));
    if (e.state == earning_state::gone) return {};
    if (e.state == earning_state::given && tried->state != try_state::confirmed)
        return fmt::format("the accounts did not give them: {}", to_text(tried->state));
    if (tried->user != e.buyer || tried->amount != e.amount)
        return fmt::format("the accounts have {} points of user {}", tried->amount.value,
                           tried->user.value);
    return {};
}

}  // namespace

// The ledger is read first, because the accounts may be ahead. What the accounts have and the
// ledger did not have may have come in between, so the ledger is asked for it again.
std::vector<std::string> check_earnings(ledger::earning_book& earnings, store::database& points) {
    std::map<sale::order_no, earning> noted;
    or_throw(earnings.for_each([&](const earning& e) { noted.emplace(e.order, e); }), "ledger");
    std::map<sale::order_no, tried_earn> tries;
    points::account_book accounts(points);
    or_throw(accounts.for_each_earn([&](const tried_earn& t) { tries.emplace(t.order, t); }),
             "points");

    findings all;
    finder trouble(all, "earned points");
    for (const auto& [no, e] : noted) {
        const auto tried = tries.find(no);
        const auto odd = oddity(e, tried == tries.end() ? nullptr : &tried->second);
        if (!odd.empty())
            trouble.add(fmt::format("{} points earned with order {} are {}, but {}", e.amount.value,
                                    no.value, to_text(e.state), odd));
    }
    for (const auto& [no, t] : tries)
        if (t.state != try_state::cancelled && !noted.contains(no) && !earnings.find(no))
            trouble.add(
                fmt::format("points earned with order {}: the accounts have {} of user {}, "
                            "but the ledger knows nothing of them",
                            no.value, t.amount.value, t.user.value));
    return all;
}

}  // namespace floodgate::commands
