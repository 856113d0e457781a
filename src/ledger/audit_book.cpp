#include "ledger/audit_book.hpp"

#include "ledger/guarded.hpp"

namespace floodgate::ledger {

std::int64_t write_audit(store::connection& c, const audit_note& line) {
    if (!line) return 0;
    c.run(
        "INSERT INTO audit (at_ms, user_id, action, subject, details, address) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        line->at, line->who, line->action, line->subject, line->details, line->address);
    return c.last_insert_id();
}

result<void> audit_book::add(const audit_line& line) {
    return guarded("audit.add", [&]() -> result<void> {
        write_audit(*db_.writer(), line);
        return {};
    });
}

result<std::vector<audit_line>> audit_book::list(std::int64_t before, std::size_t limit) {
    return guarded("audit.list", [&]() -> result<std::vector<audit_line>> {
        const auto c = db_.reader();
        const std::int64_t below = before == 0 ? INT64_MAX : before;
        auto rows = c->ask(
            "SELECT id, at_ms, user_id, action, subject, details, address FROM audit WHERE id < ? "
            "ORDER BY id DESC LIMIT ?",
            below, limit);
        std::vector<audit_line> lines;
        while (rows.next()) {
            audit_line& l = lines.emplace_back();
            rows.read(l.id, l.at, l.who, l.action, l.subject, l.details, l.address);
        }
        return lines;
    });
}

}  // namespace floodgate::ledger
