#include "ledger/switch_book.hpp"

#include "ledger/guarded.hpp"

namespace floodgate::ledger {
namespace {

constexpr std::string_view select =
    "SELECT logins, registration, refunds, sales, reason, changed_ms, changed_by FROM switches "
    "WHERE id = 1";

switches read_row(store::connection& c, std::string_view suffix = {}) {
    std::string sql(select);
    auto rows = c.ask(sql.append(suffix));
    std::int64_t logins = 1, registration = 1, refunds = 1, sales = 1;
    switches out;
    if (!rows.next()) throw store::sql_error(store::sql_failure::corrupt, "switches has no row");
    rows.read(logins, registration, refunds, sales, out.reason, out.changed_at, out.changed_by);
    out.logins = logins != 0;
    out.registration = registration != 0;
    out.refunds = refunds != 0;
    out.sales = sales != 0;
    return out;
}

}  // namespace

result<switches> switch_book::read() {
    return guarded("switches.read", [&]() -> result<switches> { return read_row(*db_.reader()); });
}

result<switches> switch_book::change(const switch_change& to, const audit_maker<changed>& line) {
    return guarded("switches.change", [&]() -> result<switches> {
        const auto c = db_.writer();
        store::transaction t(*c, store::access::write);
        const switches before = read_row(*c, c->speaks().for_update);
        const switches after{.logins = to.logins.value_or(before.logins),
                             .registration = to.registration.value_or(before.registration),
                             .refunds = to.refunds.value_or(before.refunds),
                             .sales = to.sales.value_or(before.sales),
                             .reason = to.reason,
                             .changed_at = to.at,
                             .changed_by = to.who};
        c->run(
            "UPDATE switches SET logins = ?, registration = ?, refunds = ?, sales = ?, reason = ?, "
            "changed_ms = ?, changed_by = ? WHERE id = 1",
            std::int64_t{after.logins}, std::int64_t{after.registration},
            std::int64_t{after.refunds}, std::int64_t{after.sales}, after.reason, after.changed_at,
            after.changed_by);
        write_audit(*c, line({before, after}));
        t.commit();
        return after;
    });
}

}  // namespace floodgate::ledger
