// How often passwords may be tried: a guesser does not get far, and cannot keep the owner out.
//
// A try takes its tokens at once, so that a hundred at the same moment count too. When it ends, it
// puts back what its outcome does not count against. Failures count in three token buckets:
//
// 1. Has this address failed at this account too often? Stops an attacker with one address, who
//    affects no other user.
// 2. Otherwise, is it a known device, i.e. has the account logged in from this address lately?
//    Then it may try, whatever happens elsewhere.
// 3. Otherwise, have strangers failed at this account too often? Addresses with a clean record at
//    this account (fewer than three failures a day) have a bucket of their own here: an attacker
//    who keeps guessing soon has no clean address left, so the owner at a new address gets in at
//    once, or after the seconds until the bucket has one more token. To keep the owner waiting for
//    a day takes thousands of fresh addresses.
//
// Successes count in a fourth, by account: hashes for accounts that exist go first, so somebody who
// logs in to their own account all the time, from many addresses, would keep everybody waiting.
// Only the right password uses it up. Known devices have a bucket apart from others here, so that
// guesses under way do not make the owner wait.
//
// An address is what guard::limiter_key makes of it. Unknown accounts are treated like known ones.

#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "guard/rate_limiter.hpp"
#include "guard/security_events.hpp"

namespace floodgate::guard {

struct login_limit_options {
    rate_limit by_device{.rate_per_s = 5.0 / 60, .burst = 5};
    rate_limit by_account{.rate_per_s = 5.0 / 60, .burst = 50, .keys_max = 1 << 18};
    rate_limit by_user{.rate_per_s = 20.0 / 60, .burst = 20, .keys_max = 1 << 18};  // successes
};

// One number for an account at an address, the same on every node.
std::uint64_t device_of(std::uint64_t account, std::uint64_t address);

class login_limits {
public:
    explicit login_limits(const login_limit_options& o);

    // A try that is under way. One that goes away without an outcome puts back all that it took.
    class attempt {
    public:
        ~attempt();
        attempt(const attempt&) = delete;
        attempt& operator=(const attempt&) = delete;
        void failed() { ended_ = outcome::failed; }
        void succeeded() { ended_ = outcome::succeeded; }

    private:
        friend class login_limits;
        enum class outcome : std::uint8_t { none = 1, failed, succeeded };
        struct taken {
            rate_limiter* from = nullptr;
            std::uint64_t key = 0;
            outcome counts = outcome::none;
        };
        attempt() = default;
        bool take(const taken& token, instant now, milliseconds& wait);

        std::array<taken, 4> taken_{};
        std::size_t count_ = 0;
        outcome ended_ = outcome::none;
    };

    struct question {
        std::uint64_t account = 0;
        std::uint64_t address = 0;
        bool known_device = false;
    };
    struct answer {
        std::shared_ptr<attempt> may_try;           // null: refused
        milliseconds wait{0};                       // if refused: for how long, in coarse steps
        limit refused_by = limit::login_by_device;  // if refused: by which limit
    };
    answer begin(const question& q, instant now);

    // For sharing them among the nodes of a cluster.
    rate_limiter& by_device() { return by_device_; }
    rate_limiter& by_account() { return by_account_; }
    rate_limiter& by_user() { return by_user_; }
    rate_limiter& clean_records() { return clean_records_; }

    // The exact time would tell a guesser when to come back.
    static constexpr milliseconds wait_step{5000};

private:
    rate_limiter by_device_, by_account_, by_user_, clean_records_;
};

}  // namespace floodgate::guard
