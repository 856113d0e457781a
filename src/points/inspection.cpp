#include "points/inspection.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

#include "points/accounts.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::points {
namespace {

std::string shown(const balance& b) {
    return fmt::format("available {} reserved {} pending {}", b.available.value, b.reserved.value,
                       b.pending.value);
}

// How many points a line moved, without their sign.
sale::points moved(const balance& from, const balance& to) {
    const std::int64_t available = to.available.value - from.available.value;
    return {std::max({std::abs(available), std::abs(to.reserved.value - from.reserved.value),
                      std::abs(to.pending.value - from.pending.value)})};
}

bool is_change(const std::string& word, const balance& from, const balance& to) {
    const auto e = parse_event(word);
    if (!e) return false;
    sale::points amount = moved(from, to);
    if (e == event::granted && to.available < from.available) amount.value = -amount.value;
    return amount.value != 0 && after(from, *e, amount) == to;
}

struct set_aside {
    std::int64_t reserved = 0, pending = 0;
};
using open_sums = std::map<sale::user_id, set_aside>;

open_sums add_up_open_tries(store::connection& c) {
    auto rows = c.ask(
        "SELECT user_id, kind, SUM(points) FROM points_tries WHERE state = 'open' GROUP BY "
        "user_id, kind");
    open_sums sums;
    while (rows.next()) {
        sale::user_id user;
        std::string word;
        std::int64_t points = 0;
        rows.read(user, word, points);
        set_aside& sum = sums[user];
        (word == to_text(kind::spend) ? sum.reserved : sum.pending) += points;
    }
    return sums;
}

// Follows the log of one account after the other.
class account_check {
public:
    account_check(findings& all, open_sums open)
        : chain_(all, "log"), sums_(all, "balance"), open_(std::move(open)) {}

    void begin(sale::user_id user, const balance& has, std::int64_t log_lines) {
        user_ = user;
        has_ = has;
        log_lines_ = log_lines;
        at_ = {};
        seen_ = 0;
    }
    sale::user_id user() const { return user_; }

    void follow(std::int64_t line, const std::string& word, const balance& from,
                const balance& to) {
        if (line != seen_ + 1)
            chain_.add(
                fmt::format("account {}: log line {} follows line {}", user_.value, line, seen_));
        if (from != at_)
            chain_.add(fmt::format("account {}: log line {} starts from {}, not from {}",
                                   user_.value, line, shown(from), shown(at_)));
        if (!is_change(word, from, to))
            chain_.add(fmt::format("account {}: log line {} says {}, but goes from {} to {}",
                                   user_.value, line, word, shown(from), shown(to)));
        seen_ = line;
        at_ = to;
    }

    void end() {
        if (user_.value == 0) return;  // before the first account
        if (at_ != has_)
            sums_.add(fmt::format("account {}: the log ends at {}, the account has {}", user_.value,
                                  shown(at_), shown(has_)));
        if (seen_ != log_lines_)
            chain_.add(fmt::format("account {}: counts {} log lines, the last one is {}",
                                   user_.value, log_lines_, seen_));
        const set_aside open = taken_from_open();
        if (open.reserved != has_.reserved.value || open.pending != has_.pending.value)
            sums_.add(fmt::format("account {}: has {}, its open tries say reserved {} pending {}",
                                  user_.value, shown(has_), open.reserved, open.pending));
        if (std::min({has_.available, has_.reserved, has_.pending}).value < 0)
            sums_.add(fmt::format("account {}: is below zero: {}", user_.value, shown(has_)));
    }

    void end_all() {
        for (const auto& [user, open] : open_)
            sums_.add(fmt::format("account {}: there is none, but it has open tries", user.value));
    }

private:
    set_aside taken_from_open() {
        const auto found = open_.extract(user_);
        return found.empty() ? set_aside{} : found.mapped();
    }

    finder chain_, sums_;
    open_sums open_;  // of the accounts that are still to come
    sale::user_id user_;
    balance has_, at_;
    std::int64_t log_lines_ = 0, seen_ = 0;
};

void check_accounts(store::connection& c, findings& all) {
    account_check check(all, add_up_open_tries(c));
    auto rows = c.ask(
        "SELECT a.user_id, a.available, a.reserved, a.pending, a.log_lines, l.line, l.event, "
        "l.available_before, l.reserved_before, l.pending_before, l.available_after, "
        "l.reserved_after, l.pending_after FROM points_accounts a LEFT JOIN points_log l ON "
        "l.user_id = a.user_id ORDER BY a.user_id, l.line");
    while (rows.next()) {
        sale::user_id user;
        balance has, from, to;
        std::int64_t log_lines = 0;
        std::optional<std::int64_t> line;
        std::string word;
        rows.read(user, has.available, has.reserved, has.pending, log_lines, line, word,
                  from.available, from.reserved, from.pending, to.available, to.reserved,
                  to.pending);
        if (user != check.user()) {
            check.end();
            check.begin(user, has, log_lines);
        }
        if (line) check.follow(*line, word, from, to);
    }
    check.end();
    check.end_all();
}

// One try, and what the log says about it.
struct try_story {
    sale::order_no order;
    std::string kind, state;
    sale::user_id user;
    std::int64_t points = 0, given_back = 0;

    std::string told;  // its events in the log: "spend_tried, spend_confirmed"
    std::int64_t told_given_back = 0;
    bool others_points = false;  // a line moves other points than the try's, or another account's

    std::string expected() const {
        if (user.value == 0 && state == "cancelled") return "";
        const std::string first = kind + "_tried";
        return state == "open" ? first : fmt::format("{}, {}_{}", first, kind, state);
    }
};

void tell(try_story& story, const std::string& word, sale::user_id user, sale::points amount) {
    if (word == to_text(event::given_back) && story.kind == to_text(kind::spend)) {
        story.told_given_back += amount.value;
        story.others_points |= user != story.user;
    } else if (word.starts_with(story.kind + "_")) {
        story.told.append(story.told.empty() ? "" : ", ").append(word);
        story.others_points |= user != story.user || amount.value != story.points;
    }
}

void judge(const try_story& s, finder& trouble) {
    if (s.order.value == 0) return;  // before the first try
    if (s.told != s.expected())
        trouble.add(fmt::format("order {}: its {} is {}, but the log says: {}", s.order.value,
                                s.kind, s.state, s.told.empty() ? "nothing" : s.told));
    if (s.others_points)
        trouble.add(
            fmt::format("order {}: its {} is of {} points of account {}, but not in the log",
                        s.order.value, s.kind, s.points, s.user.value));
    if (s.told_given_back != s.given_back || s.given_back > s.points)
        trouble.add(fmt::format("order {}: {} of {} points were given back, the log says {}",
                                s.order.value, s.given_back, s.points, s.told_given_back));
}

void check_tries(store::connection& c, findings& all) {
    finder trouble(all, "try");
    auto rows = c.ask(
        "SELECT t.order_no, t.kind, t.state, t.user_id, t.points, t.given_back, l.event, "
        "l.user_id, l.available_before, l.reserved_before, l.pending_before, l.available_after, "
        "l.reserved_after, l.pending_after FROM points_tries t LEFT JOIN points_log l ON "
        "l.order_no = t.order_no ORDER BY t.order_no, t.kind, l.line");
    try_story story;
    while (rows.next()) {
        try_story next;
        std::optional<std::string> word;
        sale::user_id user;
        balance from, to;
        rows.read(next.order, next.kind, next.state, next.user, next.points, next.given_back, word,
                  user, from.available, from.reserved, from.pending, to.available, to.reserved,
                  to.pending);
        if (next.order != story.order || next.kind != story.kind) {
            judge(story, trouble);
            story = std::move(next);
        }
        if (word) tell(story, *word, user, moved(from, to));
    }
    judge(story, trouble);
}

void find_strays(store::connection& c, const char* missing, const char* sql, findings& all) {
    finder trouble(all, "stray line");
    auto rows = c.ask(sql);
    while (rows.next())
        trouble.add(fmt::format("account {}: log line {} has no {}", rows.get<std::int64_t>(0),
                                rows.get<std::int64_t>(1), missing));
}

}  // namespace

findings inspect(store::connection& c) {
    findings all;
    check_accounts(c, all);
    check_tries(c, all);
    find_strays(c, "account",
                "SELECT l.user_id, l.line FROM points_log l LEFT JOIN points_accounts a ON "
                "a.user_id = l.user_id WHERE a.user_id IS NULL ORDER BY l.user_id, l.line",
                all);
    find_strays(c, "try",
                "SELECT l.user_id, l.line FROM points_log l LEFT JOIN points_tries t ON "
                "t.order_no = l.order_no AND t.kind = CASE WHEN l.event LIKE 'earn%' THEN 'earn' "
                "ELSE 'spend' END WHERE l.order_no <> 0 AND t.order_no IS NULL ORDER BY "
                "l.user_id, l.line",
                all);
    return all;
}

}  // namespace floodgate::points
