#include "ledger/audit_book.hpp"

#include "ledger/guarded.hpp"

namespace floodgate::ledger {

std::int64_t write_audit(store::connection& c, const audit_note& line) {
    if (!line) return 0;
    c.run(
        "INSERT INTO audit (at_ms, user_id, action, subject, details, address, role, name) "
        "VALUES (?, ?, ?, ?, ?, ?, COALESCE((SELECT u.role FROM users u WHERE u.id = ?), ''), "
        "COALESCE((SELECT u.nickname FROM users u WHERE u.id = ?), ''))",
        line->at, line->who, line->action, line->subject, line->details, line->address, line->who,
        line->who);
    return c.last_insert_id();
}

result<void> audit_book::add(const audit_line& line) {
    return guarded("audit.add", [&]() -> result<void> {
        write_audit(*db_.writer(), line);
        return {};
    });
}

// Every condition is always there, so that there is one statement to prepare. An empty text, 0 and
// the end of time let everything pass.
result<std::vector<audit_line>> audit_book::list(const audit_filter& wanted, std::int64_t before,
                                                 std::size_t limit) {
    return guarded("audit.list", [&]() -> result<std::vector<audit_line>> {
        const auto c = db_.reader();
        const std::int64_t below = before == 0 ? INT64_MAX : before;
        auto rows = c->ask(
            "SELECT id, at_ms, user_id, action, subject, details, address, role, name FROM audit "
            "WHERE id < ? AND at_ms >= ? AND at_ms < ? AND (? = 0 OR user_id = ?) "
            "AND (? = '' OR subject = ?) AND (? = '' OR action = ?) ORDER BY id DESC LIMIT ?",
            below, wanted.from, wanted.to, wanted.who, wanted.who, wanted.subject, wanted.subject,
            wanted.action, wanted.action, limit);
        std::vector<audit_line> lines;
        while (rows.next()) {
            audit_line& l = lines.emplace_back();
            rows.read(l.id, l.at, l.who, l.action, l.subject, l.details, l.address, l.role, l.name);
        }
        return lines;
    });
}

}  // namespace floodgate::ledger
