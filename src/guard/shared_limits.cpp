#include "guard/shared_limits.hpp"

#include <algorithm>
#include <array>

#include "base/hex.hpp"

namespace floodgate::guard {
namespace {

constexpr std::size_t tags = 16;          // so that a cluster's servers share the work
constexpr std::size_t at_once_max = 500;  // keys in one call
constexpr std::int64_t us_ns = 1000;
constexpr std::int64_t ms_us = 1000;

// KEYS: buckets. ARGV: what was taken from each, in microseconds of refilling; below 0, what was
// given back; then the time in microseconds, or nothing. Gives what each lacks now.
const store::redis_script& take_script() {
    static const store::redis_script script(R"(
local now = tonumber(ARGV[#KEYS + 1])
if not now then
  local t = redis.call('TIME')
  now = t[1] * 1000000 + t[2]
end
local full = redis.call('MGET', unpack(KEYS))
local missing = {}
for i, key in ipairs(KEYS) do
  local at = math.max(math.max(tonumber(full[i] or 0), now) + ARGV[i], now)
  missing[i] = at - now
  redis.call('SET', key, string.format('%.0f', at), 'PX', math.ceil(missing[i] / 1000) + 1)
end
return missing)");
    return script;
}

// Rounds up what was taken and down what was given back, so that rounding gives nothing away.
std::int64_t in_us(rate_limiter::nanoseconds taken) {
    return taken > 0 ? (taken + us_ns - 1) / us_ns : taken / us_ns;
}

std::size_t tag_of(std::uint64_t key) { return (key ^ (key >> 32U)) % tags; }

}  // namespace

void shared_limits::add(std::string name, rate_limiter& limiter, double share_from) {
    limiter.share(share_from, keys_max);
    limiters_.push_back({std::move(name), &limiter});
}

bool shared_limits::exchange(instant now) {
    bool all = true;
    for (const shared& s : limiters_) all = exchange(s, now) && all;
    return all;
}

bool shared_limits::exchange(const shared& s, instant now) {
    std::array<std::vector<rate_limiter::usage>, tags> by_tag;
    for (const auto& u : s.limiter->take_usage(now)) by_tag[tag_of(u.key)].push_back(u);
    bool all = true;
    for (const auto& some : by_tag) {
        for (std::size_t from = 0; from < some.size(); from += at_once_max) {
            const std::size_t count = std::min(at_once_max, some.size() - from);
            all = tell(s, std::span(some).subspan(from, count), now) && all;
        }
    }
    return all;
}

bool shared_limits::tell(const shared& s, std::span<const rate_limiter::usage> some, instant now) {
    store::words keys;
    store::words taken;
    for (const auto& u : some) {
        keys.add(key_of(s, u.key));
        taken.add(in_us(u.taken));
    }
    if (time_ == time_source::caller) taken.add(to_ms(now) * ms_us);
    const auto said = redis_.run(take_script(), keys, taken);
    if (!said || said->items.size() != some.size()) return false;
    for (std::size_t i = 0; i < some.size(); ++i)
        s.limiter->merge(some[i].key, said->items[i].integer * us_ns, now);
    return true;
}

std::string shared_limits::key_of(const shared& s, std::uint64_t key) const {
    return name_ + ":limit:{l" + std::to_string(tag_of(key)) + "}:" + s.name + ":" +
           to_hex(std::as_bytes(std::span(&key, 1)));
}

}  // namespace floodgate::guard
