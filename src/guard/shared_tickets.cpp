#include "guard/shared_tickets.hpp"

#include "base/hex.hpp"
#include "guard/stored_ticket.hpp"
#include "guard/tokens.hpp"

namespace floodgate::guard {
namespace {

constexpr std::size_t half_of_hash = 16;

// Enters a ticket of the user, forgets those that have run out and gives the keys of those that are
// too many. KEYS: the user's set. ARGV: the ticket's key, the lifetime in ms, how many there may
// be.
const store::redis_script& enter_script() {
    static const store::redis_script script(R"(
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
local over = redis.call('ZCARD', KEYS[1]) - ARGV[3]
local gone = {}
if over > 0 then
  local oldest = redis.call('ZPOPMIN', KEYS[1], over)
  for i = 1, #oldest, 2 do gone[#gone + 1] = oldest[i] end
end
return gone)");
    return script;
}

}  // namespace

shared_tickets::shared_tickets(store::redis& redis, std::string name, options o)
    : redis_(redis), name_(std::move(name)), options_(o) {}

std::string shared_tickets::key_of(std::string_view ticket) const {
    const sale::token_hash hash = hash_of(ticket);
    return name_ + ":ticket:" + to_hex(byte_view(hash).first(half_of_hash));
}

std::string shared_tickets::key_of(sale::user_id user) const {
    return name_ + ":tickets:" + std::to_string(user.value);
}

result<ticket_office::issued> shared_tickets::issue(const ticket_holder& to, instant now) {
    issued out{new_token(), now + options_.lifetime};
    const std::string key = key_of(out.text);
    const std::string lifetime = std::to_string(options_.lifetime.count());
    const auto too_many = redis_.run(enter_script(), {key_of(to.user)},
                                     {key, lifetime, std::to_string(options_.per_user_max)});
    if (!too_many) return too_many.error();

    // Write the ticket itself last, so that it is valid only once it is in the user's set.
    std::vector<store::redis::command> commands;
    for (const auto& gone : too_many->items) commands.push_back({gone.text, {"DEL", gone.text}});
    commands.push_back({key, {"SET", key, to_text({to, out.expires_at}), "PX", lifetime}});
    const auto done = redis_.ask_all(commands);
    if (!done) return done.error();
    if (done->back().what == store::redis_reply::kind::error)
        return make_error_code(errc::store_unavailable);
    return out;
}

result<std::optional<ticket_holder>> shared_tickets::redeem(std::string_view text, instant now) {
    if (text.size() != token_characters) return std::optional<ticket_holder>();
    const std::string key = key_of(text);
    const auto found = redis_.ask(key, {"GETDEL", key});
    if (!found) return found.error();
    if (found->what == store::redis_reply::kind::error)
        return make_error_code(errc::store_unavailable);
    if (found->is_nil()) return std::optional<ticket_holder>();
    const auto e = parse_stored_ticket(found->text);
    if (!e || e->expires_at <= now) return std::optional<ticket_holder>();
    // This is only for the count; if it fails, the entry expires.
    const std::string own = key_of(e->holder.user);
    (void)redis_.ask(own, {"ZREM", own, key});
    return std::optional(e->holder);
}

}  // namespace floodgate::guard
