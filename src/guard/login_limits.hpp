// How often passwords may be tried: a guesser does not get far, and cannot keep the owner out.
//
// Only failures count. A try takes its tokens at once, so that a hundred simultaneous tries count
// too, and puts them back unless it fails. There are three checks:
//
// 1. Has this address failed at this account too often? An attacker with one address is stopped
// here
//    and affects no other user.
// 2. Otherwise, is it a known device, i.e. has the account logged in from this address lately?
//    Then it may try, whatever happens elsewhere.
// 3. Otherwise, have strangers failed at this account too often? Addresses with a clean record at
//    this account (fewer than three failures a day) have a bucket of their own here: an attacker
//    who keeps guessing soon has no clean address left, so the owner at a new address gets in at
//    once, or after the seconds until the bucket has one more token. To keep the owner waiting for
//    a day takes thousands of fresh addresses.
//
// Addresses are compared by guard::limiter_key. Unknown accounts are treated like known ones.

#pragma once

#include <cstdint>
#include <memory>

#include "guard/rate_limiter.hpp"
#include "guard/security_events.hpp"

namespace floodgate::guard {

struct login_limit_options {
    rate_limit by_device{.rate_per_s = 5.0 / 60, .burst = 5};
    rate_limit by_account{.rate_per_s = 5.0 / 60, .burst = 50, .keys_max = 1 << 18};
};

// One number for an account at an address, the same on every node.
std::uint64_t device_of(std::uint64_t account, std::uint64_t address);

class login_limits {
public:
    explicit login_limits(const login_limit_options& o);

    // A try that is under way. If it is destroyed without failed(), its tokens are put back.
    class attempt {
    public:
        ~attempt();
        attempt(const attempt&) = delete;
        attempt& operator=(const attempt&) = delete;
        void failed() { counts_ = true; }

    private:
        friend class login_limits;
        struct taken {
            rate_limiter* from = nullptr;
            std::uint64_t key = 0;
        };
        attempt() = default;
        bool take(rate_limiter& from, std::uint64_t key, instant now, milliseconds& wait);

        std::array<taken, 3> taken_{};
        std::size_t count_ = 0;
        bool counts_ = false;
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
    rate_limiter& clean_records() { return clean_records_; }

    // The exact time would tell a guesser when to come back.
    static constexpr milliseconds wait_step{5000};

private:
    rate_limiter by_device_, by_account_, clean_records_;
};

}  // namespace floodgate::guard
