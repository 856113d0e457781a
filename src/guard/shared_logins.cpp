#include "guard/shared_logins.hpp"

#include <array>
#include <charconv>
#include <cstring>

#include "base/hex.hpp"
#include "guard/tokens.hpp"

namespace floodgate::guard {
namespace {

constexpr std::size_t looked_at_once = 10'000;

// The log carries an id beyond every time, so that a log that was lost and begun anew is noticed.
const store::redis_script& revoke_script() {
    static const store::redis_script script(R"(
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
local over = redis.call('ZCARD', KEYS[1]) - ARGV[3]
if over > 0 then redis.call('ZREMRANGEBYRANK', KEYS[1], 0, over - 1) end
return now)");
    return script;
}

// ARGV: what was seen last, how far to look back from there, an id for a log without one, where to
// go on (or 0), how many. Gives the time, the id and the entries with their times.
const store::redis_script& look_script() {
    static const store::redis_script script(R"(
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local id = redis.call('ZRANGEBYSCORE', KEYS[1], '9e15', '+inf')[1]
if not id then
  id = ARGV[3]
  redis.call('ZADD', KEYS[1], '9e15', id)
end
local from = math.min(tonumber(ARGV[1]), now) - ARGV[2]
if tonumber(ARGV[4]) > from then from = tonumber(ARGV[4]) end
local some = redis.call('ZRANGEBYSCORE', KEYS[1], string.format('%.0f', from), '8e15',
                        'WITHSCORES', 'LIMIT', 0, ARGV[5])
return {now, id, some})");
    return script;
}

// "user role expires", and the standing if it is not full: so nodes of an older version understand
// the log-ins of buyers. Roles and standings are numbers.
std::optional<sale::login> parse(const sale::token_hash& hash, std::string_view text) {
    std::array<std::int64_t, 4> numbers{0, 0, 0, static_cast<int>(sale::standing::full)};
    std::size_t read_so_far = 0;
    for (; read_so_far < numbers.size() && !text.empty(); ++read_so_far) {
        const auto read =
            std::from_chars(text.data(), text.data() + text.size(), numbers[read_so_far]);
        if (read.ec != std::errc()) return std::nullopt;
        text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
        if (text.starts_with(' ')) text.remove_prefix(1);
    }
    const auto role = sale::role_numbered(numbers[1]);
    const auto standing = sale::standing_numbered(numbers[3]);
    if (!text.empty() || read_so_far < 3 || numbers[0] <= 0 || !role || !standing)
        return std::nullopt;
    return sale::login{.hash = hash,
                       .user = {numbers[0]},
                       .role = *role,
                       .expires_at = from_ms(numbers[2]),
                       .standing = *standing};
}

std::string stored_text(const sale::login& l) {
    std::string out = std::to_string(l.user.value) + " " +
                      std::to_string(static_cast<int>(l.role)) + " " +
                      std::to_string(to_ms(l.expires_at));
    if (l.standing != sale::standing::full)
        out += " " + std::to_string(static_cast<int>(l.standing));
    return out;
}

// The hash that a message begins with; the rest is left.
std::optional<sale::token_hash> take_hash(std::string_view& message) {
    sale::token_hash hash{};
    if (message.size() < hash.size()) return std::nullopt;
    std::memcpy(hash.data(), message.data(), hash.size());
    message.remove_prefix(hash.size());
    return hash;
}

std::string bytes_of(const sale::token_hash& hash) {
    return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

}  // namespace

std::size_t shared_logins::hash_bits::operator()(const sale::token_hash& hash) const noexcept {
    std::size_t bits = 0;
    std::memcpy(&bits, hash.data(), sizeof bits);
    return bits;
}

shared_logins::shared_logins(store::redis& redis, sessions& local, std::string name, options o)
    : redis_(redis),
      local_(local),
      name_(std::move(name)),
      revoked_key_(name_ + ":revoked"),
      options_(o) {}

std::string shared_logins::key_of(const sale::token_hash& hash) const {
    return name_ + ":login:" + to_hex(hash);
}

bool shared_logins::add(const sale::login& l) {
    const std::lock_guard lock(mutex_);
    if (is_revoked(l.hash)) return false;
    if (added_meanwhile_) added_meanwhile_->push_back(l);
    local_.add(l);
    return true;
}

bool shared_logins::is_revoked(const sale::token_hash& hash) const {
    return revoked_.contains(hash) || revoked_before_.contains(hash);
}

void shared_logins::revoke(const sale::token_hash& hash) {
    const std::lock_guard lock(mutex_);
    if (revoked_.size() >= generation_max) revoked_before_ = std::exchange(revoked_, {});
    revoked_.insert(hash);
    local_.remove(hash);
}

result<void> shared_logins::keep(const sale::login& l, instant now) {
    add(l);
    if (l.expires_at <= now) return {};
    const std::string key = key_of(l.hash);
    const auto kept =
        redis_.ask(key, {"SET", key, stored_text(l), "PXAT", std::to_string(to_ms(l.expires_at))});
    if (!kept) return kept.error();
    return {};
}

// Removes the log-in before it writes the log. A node that reads the log-in before that is told by
// the log; a node that reads the log before its new entry no longer finds the log-in.
result<void> shared_logins::remove(const sale::token_hash& hash, instant /*now*/) {
    revoke(hash);
    const std::string key = key_of(hash);
    const auto removed = redis_.ask(key, {"DEL", key});
    const auto noted = redis_.run(revoke_script(), {revoked_key_},
                                  {to_hex(hash), std::to_string(options_.remembered.count()),
                                   std::to_string(options_.revoked_max)});
    if (!noted) return noted.error();
    if (!removed) return removed.error();
    return {};
}

result<identity> shared_logins::find(const sale::token_hash& hash, instant now) {
    const std::string key = key_of(hash);
    const auto found = redis_.ask(key, {"GET", key});
    if (!found) return found.error();
    const auto l = parse(hash, found->text);
    if (!l || l->expires_at <= now || !add(*l)) return make_error_code(errc::not_found);
    return identity{l->user, l->role, l->standing};
}

bool shared_logins::catch_up(instant /*now*/) {
    const std::lock_guard lock(catching_up_);
    std::string from = "0";
    for (;;) {
        const auto said =
            redis_.run(look_script(), {revoked_key_},
                       {std::to_string(seen_ms_), std::to_string(options_.overlap.count()),
                        "id:" + new_token(), from, std::to_string(looked_at_once)});
        if (!said || said->items.size() != 3) return true;
        const auto& some = said->items[2].items;
        for (std::size_t i = 0; i + 1 < some.size(); i += 2) {
            sale::token_hash hash{};
            if (from_hex(some[i].text, hash)) revoke(hash);
        }
        if (some.size() == 2 * looked_at_once && some.back().text != from) {
            from = some.back().text;
            continue;
        }
        const std::int64_t now_ms = said->items[0].integer;
        const bool first = seen_ms_ == 0;
        const bool away = now_ms - seen_ms_ > options_.remembered.count();
        const bool lost = std::exchange(log_id_, said->items[1].text) != said->items[1].text;
        seen_ms_ = now_ms;
        return first || (!away && !lost);
    }
}

result<void> shared_logins::reload(const ledger_reader& read) {
    {
        const std::lock_guard lock(mutex_);
        added_meanwhile_.emplace();
    }
    auto found = read();
    const std::lock_guard lock(mutex_);
    const auto added = std::exchange(added_meanwhile_, std::nullopt);
    if (!found) return found.error();
    found->insert(found->end(), added->begin(), added->end());
    std::erase_if(*found, [&](const sale::login& l) { return is_revoked(l.hash); });
    local_.replace_all(*found);
    return {};
}

std::string shared_logins::tell(const sale::login& l) { return bytes_of(l.hash) + stored_text(l); }

std::string shared_logins::tell(const sale::token_hash& hash) { return bytes_of(hash); }

void shared_logins::hear_login(std::string_view message) {
    const auto hash = take_hash(message);
    if (!hash) return;
    if (const auto l = parse(*hash, message)) add(*l);
}

void shared_logins::hear_logout(std::string_view message) {
    const auto hash = take_hash(message);
    if (hash && message.empty()) revoke(*hash);
}

}  // namespace floodgate::guard
