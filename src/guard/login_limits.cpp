#include "guard/login_limits.hpp"

#include "guard/mixed_bits.hpp"

namespace floodgate::guard {
namespace {

constexpr double day_s = 24 * 3600;
constexpr std::uint32_t failures_of_a_clean_record = 3;  // a day

// The addresses that share a bucket of an account: two groups in by_account, two in by_user.
enum class group : std::uint8_t { with_clean_record = 1, that_failed_before, known, unknown };

std::uint64_t bucket_of(std::uint64_t account, group which) {
    return mixed_bits(mixed_bits(account) + static_cast<std::uint64_t>(which));
}

// If the limit by device is switched off, no records of devices are kept either. When there are
// more records than fit, those that are used up are forgotten last (rate_limiter.hpp).
rate_limit records_beside(const rate_limit& by_device) {
    if (by_device.rate_per_s == 0) return {};
    return {.rate_per_s = failures_of_a_clean_record / day_s,
            .burst = failures_of_a_clean_record,
            .keys_max = by_device.keys_max / 4 + 1};
}

milliseconds coarse(milliseconds wait) {
    constexpr milliseconds step = login_limits::wait_step;
    return (wait + step - milliseconds(1)) / step * step;
}

}  // namespace

std::uint64_t device_of(std::uint64_t account, std::uint64_t address) {
    return mixed_bits(mixed_bits(account) ^ address);
}

login_limits::login_limits(const login_limit_options& o)
    : by_device_(o.by_device),
      by_account_(o.by_account),
      by_user_(o.by_user),
      clean_records_(records_beside(o.by_device)) {}

login_limits::attempt::~attempt() {
    for (std::size_t i = 0; i < count_; ++i)
        if (taken_[i].counts != ended_) taken_[i].from->give_back(taken_[i].key);
}

bool login_limits::attempt::take(const taken& token, instant now, milliseconds& wait) {
    wait = token.from->try_take(token.key, now);
    if (wait > milliseconds(0)) return false;
    taken_[count_++] = token;
    return true;
}

login_limits::answer login_limits::begin(const question& q, instant now) {
    using enum attempt::outcome;
    const std::shared_ptr<attempt> tried(new attempt);
    const std::uint64_t device = device_of(q.account, q.address);
    milliseconds wait{0};
    if (!tried->take({&by_device_, device, failed}, now, wait))
        return {nullptr, coarse(wait), limit::login_by_device};
    const std::uint64_t user = bucket_of(q.account, q.known_device ? group::known : group::unknown);
    if (!tried->take({&by_user_, user, succeeded}, now, wait))
        return {nullptr, coarse(wait), limit::login_by_user};
    if (q.known_device) return {tried};

    milliseconds of_record{0};
    const bool clean = tried->take({&clean_records_, device, failed}, now, of_record);
    const std::uint64_t clean_ones = bucket_of(q.account, group::with_clean_record);
    if (clean && tried->take({&by_account_, clean_ones, failed}, now, wait)) return {tried};
    const std::uint64_t others = bucket_of(q.account, group::that_failed_before);
    milliseconds wait_among_others{0};
    if (tried->take({&by_account_, others, failed}, now, wait_among_others)) return {tried};
    return {nullptr, coarse(clean ? wait : wait_among_others), limit::login_by_account};
}

}  // namespace floodgate::guard
