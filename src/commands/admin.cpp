#include "commands/admin.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <termios.h>
#include <unistd.h>

#include "base/or_throw.hpp"
#include "engine/open_ledger.hpp"
#include "engine/seed_data.hpp"
#include "guard/account_rules.hpp"
#include "guard/passwords.hpp"
#include "ledger/ledger.hpp"
#include "shop/audit_trail.hpp"

namespace floodgate::commands {
namespace {

// Switches the echo of the terminal off, and on again in any case.
class silent_terminal {
public:
    silent_terminal() {
        ::tcgetattr(STDIN_FILENO, &before_);
        termios silent = before_;
        silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
    }
    ~silent_terminal() { ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_); }
    silent_terminal(const silent_terminal&) = delete;
    silent_terminal& operator=(const silent_terminal&) = delete;

private:
    termios before_{};
};

std::string typed(const char* question) {
    fmt::print(stderr, "{}", question);
    std::string line;
    const silent_terminal quiet;
    std::getline(std::cin, line);
    fmt::print(stderr, "\n");
    return line;
}

std::string password_for(const admin_options& o) {
    if (!o.password_file.empty()) return engine::password_in(o.password_file, o.phone);
    if (::isatty(STDIN_FILENO) == 0)
        throw std::runtime_error("--password-file is needed: there is no terminal to type it at");
    std::string password = typed("New password: ");
    if (const auto fault = guard::fault_in_password(password, o.phone))
        throw std::runtime_error(std::string("the password is not good: ") +
                                 guard::to_text(*fault));
    if (typed("Once more: ") != password) throw std::runtime_error("the two passwords differ");
    return password;
}

ledger::audit_line line_for(const char* action, sale::user_id id, boost::json::object before,
                            boost::json::object after) {
    return shop::line_for({.who = {}, .at = wall_clock().now()},
                          {.action = action,
                           .subject = shop::subject_of("user", id.value),
                           .before = std::move(before),
                           .after = std::move(after),
                           .why = "command line"});
}

sale::role role_in(const std::string& word) {
    if (const auto role = sale::role_of(word)) return *role;
    throw std::runtime_error("there is no role " + word);
}

sale::user find(ledger::ledger& book, const std::string& phone) {
    auto u = book.users().find(phone);
    if (!u && u.error() == make_error_code(errc::not_found))
        throw std::runtime_error("there is no user with the phone number " + phone);
    return or_throw(std::move(u), "ledger");
}

void expect_done(const result<ledger::ended_logins>& done) {
    if (!done && done.error() == make_error_code(errc::conflict))
        throw std::runtime_error("this is the last active admin");
    if (!done) throw std::runtime_error("ledger: " + done.error().message());
    fmt::print("done; log-ins ended: {}\n", done->size());
}

}  // namespace

void add_staff(const engine::settings& s, const admin_options& o) {
    if (guard::fault_in_phone(o.phone)) throw std::runtime_error(o.phone + " is no phone number");
    const guard::passwords passwords(s.password);
    const sale::user u{.phone = o.phone,
                       .nickname = o.nickname,
                       .password_hash = passwords.hash(password_for(o)),
                       .role = role_in(o.role),
                       .created_at = wall_clock().now(),
                       .must_change_password = o.must_change};
    ledger::ledger book(engine::open_database(s));
    const auto id = book.staff().add(u, [&](sale::user_id made) {
        return line_for("staff.added", made, {},
                        {{"nickname", u.nickname}, {"role", to_word(u.role)}});
    });
    if (!id && id.error() == make_error_code(errc::already_exists))
        throw std::runtime_error("the phone number " + o.phone + " is taken");
    fmt::print("user {} was added\n", or_throw(id, "ledger").value);
}

void set_staff_password(const engine::settings& s, const admin_options& o) {
    const guard::passwords passwords(s.password);
    const std::string hash = passwords.hash(password_for(o));
    ledger::ledger book(engine::open_database(s));
    const sale::user u = find(book, o.phone);
    expect_done(book.staff().set_password(u.id, {hash, o.must_change},
                                          line_for("staff.password_reset", u.id, {}, {})));
}

void set_staff_role(const engine::settings& s, const admin_options& o) {
    const sale::role role = role_in(o.role);
    ledger::ledger book(engine::open_database(s));
    const sale::user u = find(book, o.phone);
    expect_done(
        book.staff().set_role(u.id, role,
                              line_for("staff.role_changed", u.id, {{"role", to_word(u.role)}},
                                       {{"role", to_word(role)}})));
}

void set_staff_disabled(const engine::settings& s, const admin_options& o, bool disabled) {
    ledger::ledger book(engine::open_database(s));
    const sale::user u = find(book, o.phone);
    expect_done(book.staff().set_disabled(
        u.id, disabled, line_for(disabled ? "user.disabled" : "user.enabled", u.id, {}, {})));
}

void list_staff(const engine::settings& s) {
    ledger::ledger book(engine::open_database(s));
    for (const auto& m : or_throw(book.staff().list(), "ledger"))
        fmt::print("{}\t{}\t{}\t{}{}{}{}\n", m.user.id.value, m.user.phone, to_word(m.user.role),
                   m.user.nickname, m.user.disabled_at != instant{} ? "\tdisabled" : "",
                   m.user.must_change_password ? "\tmust change password" : "",
                   m.has_second_factor ? "\tsecond factor" : "");
}

}  // namespace floodgate::commands
