// The part of the inspection that compares the audit with the acts it records. An act and its line
// are written together, so if one is missing, the ledger was changed by hand.

#include <charconv>
#include <map>
#include <set>

#include "base/finding_list.hpp"
#include "ledger/inspection.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {
namespace {

struct told {
    std::int64_t line = 0;
    std::string action, subject;
};

bool moves_stock(const std::string& action) {
    return action == "sale.created" || action == "stock.added" || action == "stock.removed";
}

// The state of the sale after this act; empty: the act does not change a sale's state.
std::string state_after(const std::string& action) {
    if (action == "sale.published" || action == "sale.resumed") return "published";
    if (action == "sale.paused") return "paused";
    if (action == "sale.ended") return "ended";
    return "";
}

std::string letter_state_after(const std::string& action) {
    if (action == "letter.replayed") return "replayed";
    if (action == "letter.discarded") return "discarded";
    return "";
}

// "sale 7" is 7 for the kind "sale"; 0: it is about something else.
std::int64_t number_in(std::string_view subject, std::string_view kind) {
    if (!subject.starts_with(kind) || subject.size() < kind.size() + 2) return 0;
    const std::string_view digits = subject.substr(kind.size() + 1);
    std::int64_t number = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return read.ec == std::errc() ? number : 0;
}

class audit_inspection {
public:
    audit_inspection(store::connection& c, findings& all) : book_(c), trouble_(all, "audit") {}

    void run() {
        read_lines();
        read_stock_log();
        for (const auto& [line, act] : stock_acts_)
            if (line >= first_linked_ && !linked_.contains(line))
                trouble_.add(
                    fmt::format("audit line {}: {} of {}, but the stock log has no such "
                                "move",
                                line, act.action, act.subject));
        compare_states("SELECT id, state FROM sales ORDER BY id", "sale", sale_states_);
        compare_states("SELECT id, state FROM letters ORDER BY id", "letter", letter_states_);
    }

private:
    void read_lines() {
        auto rows = book_.ask("SELECT id, action, subject FROM audit ORDER BY id");
        told t;
        while (rows.next()) {
            rows.read(t.line, t.action, t.subject);
            lines_.insert(t.line);
            if (moves_stock(t.action)) stock_acts_[t.line] = t;
            if (!state_after(t.action).empty()) sale_states_[number_in(t.subject, "sale")] = t;
            if (!letter_state_after(t.action).empty())
                letter_states_[number_in(t.subject, "letter")] = t;
        }
    }

    // Skips old lines, written when moves did not name their audit line yet.
    void read_stock_log() {
        auto rows = book_.ask(
            "SELECT id, sale_id, kind, audit_id FROM stock_log WHERE audit_id > 0 ORDER BY id");
        while (rows.next()) {
            std::int64_t id = 0, sale = 0, line = 0;
            std::string kind;
            rows.read(id, sale, kind, line);
            linked_.insert(line);
            if (!lines_.contains(line))
                trouble_.add(
                    fmt::format("sale {}: log line {} ({}) was signed in audit line {}, "
                                "which is missing",
                                sale, id, kind, line));
        }
        if (!linked_.empty()) first_linked_ = *linked_.begin();
    }

    // A sale must be in the state in which the last act of the audit left it.
    void compare_states(const char* sql, const char* kind,
                        const std::map<std::int64_t, told>& last) {
        if (last.empty()) return;
        auto rows = book_.ask(sql);
        while (rows.next()) {
            std::int64_t id = 0;
            std::string state;
            rows.read(id, state);
            const auto act = last.find(id);
            if (act == last.end()) continue;
            std::string said = state_after(act->second.action);
            if (said.empty()) said = letter_state_after(act->second.action);
            if (said != state)
                trouble_.add(fmt::format("{} {}: is {}, but its last audit line {} says {}", kind,
                                         id, state, act->second.line, said));
        }
    }

    store::connection& book_;
    finder trouble_;
    std::set<std::int64_t> lines_, linked_;
    std::int64_t first_linked_ = INT64_MAX;
    std::map<std::int64_t, told> stock_acts_, sale_states_, letter_states_;
};

}  // namespace

void inspect_audit(store::connection& c, findings& all) { audit_inspection(c, all).run(); }

}  // namespace floodgate::ledger
