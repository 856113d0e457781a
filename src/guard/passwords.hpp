// Password hashes: Argon2id through libsodium, which is slow and takes much memory on purpose.
//
// Every call except needs_rehash takes tens of milliseconds and `memory_bytes`. Never call one on
// an event loop; the number of pool threads bounds how many run at a time. They throw
// std::bad_alloc when there is not enough memory, so that a user is not told "wrong password" for
// that.

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

    // Salted, so the text differs each time. At most 127 characters; contains the cost.
    std::string hash(std::string_view password) const;

    // False for a wrong password and for a text that is not a hash. Its cost is the one in `hash`.
    bool verify(const std::string& hash, std::string_view password) const;

    // For an unknown phone number: costs as much as verify and is always false, so that the
    // time until the refusal does not tell who has an account.
    bool spend(std::string_view password) const;

    // Whether the hash was made at another cost, so that a new one should be made when its owner
    // has logged in. Also true for a text that is not a hash.
    bool needs_rehash(const std::string& hash) const;

private:
    password_cost cost_;
    std::string nobodys_;
};

}  // namespace floodgate::guard
