// The port of the points (积分) accounts: what a user can spend, has set aside and will earn.
//
// Points may live in another process and another database than orders. So the points of an order
// move in two steps: a try sets them aside, and confirm or cancel settles the try. Its key is the
// order's number and the kind. Every call may be repeated, in any order with the others, and has
// its effect once. README.md says how a coordinator uses this.
//
// Errors of every call, and nothing was changed unless it says so:
//   invalid            an id, amount, key or text that makes no sense; see `limits` below
//   already_exists     the key was used before, with another user or amount
//   store_unavailable  the outcome is unknown: repeat the call
//   corrupt, rejected  the database is damaged or refuses; an operator has to look

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "sale/ids.hpp"

namespace floodgate::points {

// limits
inline constexpr sale::points amount_max{1'000'000'000'000};  // of one call; the least is 1
inline constexpr sale::points total_max{10'000'000'000'000};  // no account receives more than this
inline constexpr std::size_t key_bytes_max = 64;  // printable ASCII without blanks, at least one
inline constexpr std::size_t reason_bytes_max = 200;  // one line of UTF-8, not blank
inline constexpr std::size_t page_max = 200;          // lines or tries in one answer; more are cut

struct balance {
    sale::points available;  // can be spent
    sale::points reserved;   // set aside by open spends
    sale::points pending;    // promised by open earns

    friend bool operator==(const balance&, const balance&) = default;
};

enum class kind : std::uint8_t { spend = 1, earn };
enum class try_state : std::uint8_t { open = 1, confirmed, cancelled };
const char* to_text(kind k);
const char* to_text(try_state s);

enum class try_answer : std::uint8_t {
    reserved = 1,      // done now: points are set aside, or promised
    not_enough,        // of spends only: more than is available; no trace is left
    already,           // this try was made before; its state is told
    cancelled_before,  // the order's cancel came first, so the try must have no effect
};
struct try_outcome {
    try_answer answer{};
    std::optional<try_state> state;  // of the try, as it is now; none: there is no try

    friend bool operator==(const try_outcome&, const try_outcome&) = default;
};

// Gives points of a confirmed spend back, in part or in full.
struct give_back_request {
    sale::order_no order;
    sale::user_id user;  // who spent them
    sale::points amount;
    std::string request;  // the number of the refund, unique in its order
};

// An admin gives points, or takes some (a negative amount).
struct grant_request {
    sale::user_id user;
    sale::points amount;
    std::string reason;
    sale::user_id by;
    std::string request;  // unique among all grants
};

// What can happen to an account.
enum class event : std::uint8_t {
    spend_tried = 1,
    spend_confirmed,
    spend_cancelled,
    given_back,
    earn_tried,
    earn_confirmed,
    earn_cancelled,
    granted,
};
const char* to_text(event e);
std::optional<event> parse_event(std::string_view text);
// The balance when `e` has happened to it with so many points.
balance after(const balance& before, event e, sale::points amount);

struct log_line {
    std::int64_t line = 0;  // 1, 2, 3 ... in each account
    event what{};
    sale::order_no order;  // 0: a grant
    balance before, after;
    std::string reason;  // of a grant, and the admin who made it
    sale::user_id by;
    instant at;
};

struct open_try {
    sale::order_no order;
    sale::user_id user;
    sale::points amount;
    instant since;
};

class accounts {
public:
    virtual ~accounts() = default;

    virtual result<try_outcome> try_spend(sale::order_no order, sale::user_id user,
                                          sale::points amount, instant now) = 0;
    // conflict: the account would come to hold more than total_max.
    virtual result<try_outcome> try_earn(sale::order_no order, sale::user_id user,
                                         sale::points amount, instant now) = 0;

    // Points set aside are spent; points promised become available. not_found: nothing was tried.
    // conflict: the try was cancelled.
    virtual result<void> confirm(sale::order_no order, kind which, instant now) = 0;
    // Points set aside are available again; points promised are gone. Succeeds also if nothing was
    // tried, and then refuses a try that comes later. conflict: the try was confirmed.
    virtual result<void> cancel(sale::order_no order, kind which, instant now) = 0;

    // not_found: this user has made no such spend. conflict: the spend is not confirmed, or not so
    // many of its points are left to give back.
    virtual result<void> give_back(const give_back_request& what, instant now) = 0;
    // conflict: fewer points are available than shall be taken, or the account would come to hold
    // more than total_max.
    virtual result<void> grant(const grant_request& what, instant now) = 0;

    // None: nothing was tried, and nothing was cancelled either.
    virtual result<std::optional<try_state>> state_of(sale::order_no order, kind which) = 0;
    // All zero for a user without an account.
    virtual result<balance> balance_of(sale::user_id user) = 0;
    // Newest first, only lines below `before` (0: from the newest), at most `limit`.
    virtual result<std::vector<log_line>> history(sale::user_id user, std::int64_t before,
                                                  std::size_t limit) = 0;
    // Tries of this kind from before `older_than` that nobody has settled, oldest first, at most
    // `max`.
    virtual result<std::vector<open_try>> open_tries(kind which, instant older_than,
                                                     std::size_t max) = 0;
};

}  // namespace floodgate::points
