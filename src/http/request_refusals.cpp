// The part of the request desk that refuses: by log-in, by rate limit, and in whose name.

#include "api/failure.hpp"
#include "guard/addresses.hpp"
#include "http/request_asked.hpp"

namespace floodgate::http {

remote request_desk::client_of(const asked& a) const {
    if (!a.r.forwarded_for) return a.peer;
    const guard::client found = proxies_.client_of(a.peer.address, *a.r.forwarded_for);
    return {found.address, found.is_proxy};
}

guard::security_events::origin request_desk::origin_of(const asked& a) const {
    return {a.who.user, client_of(a).address, a.found.route->path};
}

void request_desk::note(guard::security_event what, const asked& a) {
    with_.events.note(what, origin_of(a), a.now);
}

api::reply request_desk::too_many(const asked& a, guard::limit which, milliseconds wait) {
    with_.events.note_limited(which, origin_of(a), a.now);
    return api::limited_reply(wait, a.lang);
}

// A log-in that is not good for everything yet.
std::optional<api::reply> request_desk::refusal_by_standing(const asked& a) {
    if (a.who.standing == sale::standing::full || a.found.route->needs == api::access::self)
        return std::nullopt;
    return api::problem_reply(a.who.standing == sale::standing::must_change_password
                                  ? api::problem::must_change_password
                                  : api::problem::second_factor_missing,
                              a.lang);
}

std::optional<api::reply> request_desk::refusal_by_address(const asked& a) {
    const remote client = client_of(a);
    if (client.is_trusted_proxy) return std::nullopt;
    const auto wait = with_.purchase_by_address.try_take(guard::limiter_key(client.address), a.now);
    if (wait == milliseconds(0)) return std::nullopt;
    return too_many(a, guard::limit::purchase_by_address, wait);
}

std::optional<api::reply> request_desk::refusal_by_user(const asked& a, guard::limit which,
                                                        guard::rate_limiter& limiter) {
    const auto wait = limiter.try_take(static_cast<std::uint64_t>(a.who.user.value), a.now);
    if (wait == milliseconds(0)) return std::nullopt;
    return too_many(a, which, wait);
}

// Only messages that are refused are charged (api/message_api.cpp): a channel may send as many good
// ones as there are orders to be paid, from a single address.
std::optional<api::reply> request_desk::refusal_by_failures(const asked& a) {
    const remote client = client_of(a);
    if (client.is_trusted_proxy) return std::nullopt;
    const auto wait = with_.message_by_address.wait_for(guard::limiter_key(client.address), a.now);
    if (wait == milliseconds(0)) return std::nullopt;
    return too_many(a, guard::limit::message_by_address, wait);
}

std::optional<api::reply> request_desk::refusal_by_budget(const asked& a) {
    switch (a.found.route->charged) {
    case api::budget::lookups:
        return refusal_by_user(a, guard::limit::lookup_by_user, with_.lookup_by_user);
    case api::budget::moves:
        return refusal_by_user(a, guard::limit::move_by_user, with_.move_by_user);
    case api::budget::tickets:
        return refusal_by_user(a, guard::limit::ticket_by_user, with_.ticket_by_user);
    case api::budget::messages: return refusal_by_failures(a);
    case api::budget::none: break;
    }
    return std::nullopt;
}

}  // namespace floodgate::http
