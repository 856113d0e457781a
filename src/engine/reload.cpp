// What changes without a restart: SIGHUP, and certificates that were renewed.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "base/log.hpp"
#include "engine/storefront.hpp"

namespace floodgate::engine {
namespace {

struct live_limit {
    std::string key;  // "guard.purchase_by_user"
    guard::rate_limiter& limiter;
    const guard::rate_limit& next;
};

std::vector<live_limit> limits_of(storefront& s, const settings& next) {
    return {{"guard.login_by_device", s.login_limits.by_device(), next.login_limits.by_device},
            {"guard.login_by_account", s.login_limits.by_account(), next.login_limits.by_account},
            {"guard.login_by_user", s.login_limits.by_user(), next.login_limits.by_user},
            {"guard.login_by_address", s.login_by_address, next.login_by_address},
            {"guard.register_by_address", s.register_by_address, next.register_by_address},
            {"guard.purchase_by_user", s.purchase_by_user, next.purchase_by_user},
            {"guard.purchase_by_address", s.purchase_by_address, next.purchase_by_address},
            {"guard.lookup_by_user", s.lookup_by_user, next.lookup_by_user},
            {"guard.move_by_user", s.move_by_user, next.move_by_user},
            {"ws.ticket_by_user", s.ticket_by_user, next.ticket_by_user},
            {"pay.message_by_address", s.message_by_address, next.message_by_address}};
}

// The keys whose values differ, also those that only one of the two has.
std::vector<std::string> changed_keys(const std::map<std::string, std::string>& before,
                                      const std::map<std::string, std::string>& after) {
    std::vector<std::string> out;
    for (const auto& [key, value] : after)
        if (const auto old = before.find(key); old == before.end() || old->second != value)
            out.push_back(key);
    for (const auto& [key, value] : before)
        if (!after.contains(key)) out.push_back(key);
    return out;
}

std::string when_changed(const std::string& path) {
    std::error_code error;
    const auto at = std::filesystem::last_write_time(path, error);
    return error ? "" : std::to_string(at.time_since_epoch().count());
}

}  // namespace

bool storefront::reload_certificate() {
    try {
        server_->reload_certificate();
        log::info("engine.certificate_reloaded", "file", with_.server.tls_certificate_file);
        return true;
    } catch (const std::runtime_error& e) {
        log::error("engine.certificate_refused", "error", e.what());
        return false;
    }
}

// Certificates are renewed by programs that send no signal.
void storefront::watch_certificate() {
    if (!server_->uses_tls()) return;
    std::string seen = when_changed(with_.server.tls_certificate_file) + " " +
                       when_changed(with_.server.tls_key_file);
    const bool changed = !certificate_seen_.empty() && seen != certificate_seen_;
    certificate_seen_ = std::move(seen);
    if (changed) reload_certificate();
}

// Everything is checked before anything changes: a bad configuration is refused as a whole.
void storefront::reload() {
    try {
        log::reopen();
        const settings next = reread ? reread() : with_;
        if (server_->uses_tls() && !reload_certificate())
            throw std::runtime_error("the certificate is not good");
        take_over(next);
    } catch (const std::exception& e) {
        log::error("engine.reload_refused", "error", e.what(), "now", "everything stays as it was");
    }
}

void storefront::take_over(const settings& next) {
    std::vector<std::string> done, waiting;
    const auto limits = limits_of(*this, next);
    for (const std::string& key : changed_keys(values_, next.values)) {
        bool changed = key == "log.level";
        for (const live_limit& l : limits)
            if (key == l.key + "_per_minute" || key == l.key + "_burst")
                changed = l.limiter.change(l.next);
        (changed ? done : waiting).push_back(key);
    }
    log::set_level(next.log.least);
    for (const std::string& key : done) values_.erase(key);
    for (const std::string& key : done)
        if (const auto found = next.values.find(key); found != next.values.end())
            values_[key] = found->second;
    log::info("engine.reloaded", "changed", fmt::format("{}", fmt::join(done, " ")));
    if (!waiting.empty())
        log::warning("engine.reload_needs_restart", "keys",
                     fmt::format("{}", fmt::join(waiting, " ")));
}

}  // namespace floodgate::engine
