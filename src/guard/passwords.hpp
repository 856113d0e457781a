// Passwords: Argon2id through libsodium, slow and hungry on purpose.
//
// Every call but needs_rehash takes tens of milliseconds and `memory_bytes`: never call one on an
// event loop, and let the number of pool threads bound how many run at a time. All of them throw
// std::bad_alloc when the memory cannot be had, so that nobody is told "wrong password" for it.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace floodgate::guard {

// OWASP's advice for Argon2id: two passes over 19 MiB.
struct password_cost {
    std::uint64_t passes = 2;
    std::size_t memory_bytes = std::size_t{19} << 20U;
};

// The least libsodium accepts. For tests and load-test fixtures only.
inline constexpr password_cost cheapest{1, 8192};

class passwords {
public:
    // Makes one hash, of a random password. Throws std::invalid_argument for a cost that
    // libsodium does not accept.
    explicit passwords(password_cost cost = {});

    // Salted: another text each time. At most 127 characters, with the cost written in it.
    std::string hash(std::string_view password) const;

    // False for a wrong password and for a text that is not a hash. Costs what `hash` says it does.
    bool verify(const std::string& hash, std::string_view password) const;

    // For an unknown phone number: costs as much as verify and is always false, so that the
    // time until the refusal does not tell who has an account.
    bool spend(std::string_view password) const;

    // The hash was made at another cost: make a new one when its owner has logged in. Also true for
    // a text that is not a hash.
    bool needs_rehash(const std::string& hash) const;

private:
    password_cost cost_;
    std::string nobodys_;
};

}  // namespace floodgate::guard
