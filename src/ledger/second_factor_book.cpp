#include "ledger/second_factor_book.hpp"

#include "ledger/guarded.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {

result<second_factor> second_factor_book::find(sale::user_id user) {
    return guarded("second_factors.find", [&]() -> result<second_factor> {
        const auto c = db_.reader();
        auto rows = c->ask(
            "SELECT secret, confirmed, last_step FROM second_factors WHERE user_id = ?", user);
        if (!rows.next()) return errc::not_found;
        second_factor f;
        std::int64_t confirmed = 0;
        rows.read(f.secret, confirmed, f.last_step);
        f.confirmed = confirmed != 0;
        return f;
    });
}

result<void> second_factor_book::begin(sale::user_id user, const std::string& secret, instant now) {
    return guarded("second_factors.begin", [&]() -> result<void> {
        const auto c = db_.writer();
        store::transaction t(*c, store::access::write);
        if (c->ask("SELECT user_id FROM second_factors WHERE user_id = ? AND confirmed = 1", user)
                .next())
            return errc::conflict;
        c->run("DELETE FROM second_factors WHERE user_id = ?", user);
        c->run(
            "INSERT INTO second_factors (user_id, secret, confirmed, last_step, created_ms) "
            "VALUES (?, ?, 0, -1, ?)",
            user, secret, now);
        t.commit();
        return {};
    });
}

result<void> second_factor_book::confirm(sale::user_id user, const confirmation& done,
                                         const audit_note& line) {
    return guarded("second_factors.confirm", [&]() -> result<void> {
        const auto c = db_.writer();
        store::transaction t(*c, store::access::write);
        if (c->run("UPDATE second_factors SET confirmed = 1, last_step = ? "
                   "WHERE user_id = ? AND confirmed = 0",
                   done.step, user) == 0)
            return errc::conflict;
        c->run("DELETE FROM recovery_codes WHERE user_id = ?", user);
        for (const sale::token_hash& hash : done.recovery_codes)
            c->run("INSERT INTO recovery_codes (user_id, code_hash) VALUES (?, ?)", user, hash);
        write_audit(*c, line);
        t.commit();
        return {};
    });
}

result<bool> second_factor_book::use_step(sale::user_id user, std::int64_t step) {
    return guarded("second_factors.use_step", [&]() -> result<bool> {
        return db_.writer()->run(
                   "UPDATE second_factors SET last_step = ? "
                   "WHERE user_id = ? AND confirmed = 1 AND last_step < ?",
                   step, user, step) == 1;
    });
}

result<bool> second_factor_book::use_recovery_code(sale::user_id user,
                                                   const sale::token_hash& hash) {
    return guarded("second_factors.use_recovery_code", [&]() -> result<bool> {
        return db_.writer()->run("DELETE FROM recovery_codes WHERE user_id = ? AND code_hash = ?",
                                 user, hash) == 1;
    });
}

result<void> second_factor_book::remove(sale::user_id user, const audit_note& line) {
    return guarded("second_factors.remove", [&]() -> result<void> {
        const auto c = db_.writer();
        store::transaction t(*c, store::access::write);
        if (c->run("DELETE FROM second_factors WHERE user_id = ?", user) == 0)
            return errc::not_found;
        c->run("DELETE FROM recovery_codes WHERE user_id = ?", user);
        write_audit(*c, line);
        t.commit();
        return {};
    });
}

}  // namespace floodgate::ledger
