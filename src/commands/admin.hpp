// `floodgate admin`: the accounts of staff, from the command line. It works on a stopped server and
// beside a running one, which ends the log-ins of a changed account within about a second
// (engine/account_watch.hpp). Passwords come from a file or are typed without echo, never from the
// command line.

#pragma once

#include <string>

#include "engine/settings.hpp"

namespace floodgate::commands {

struct admin_options {
    std::string config, data;
    std::string phone, nickname = "Staff", role = "admin";
    std::string password_file;  // empty: it is typed
    bool must_change = false;   // at the next log-in
};

// Each throws std::runtime_error with one clear line.
void add_staff(const engine::settings& s, const admin_options& o);
void set_staff_password(const engine::settings& s, const admin_options& o);
void set_staff_role(const engine::settings& s, const admin_options& o);
void set_staff_disabled(const engine::settings& s, const admin_options& o, bool disabled);
void list_staff(const engine::settings& s);

}  // namespace floodgate::commands
