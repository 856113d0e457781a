#include "guard/passwords.hpp"

#include <sodium.h>

#include <array>
#include <cerrno>
#include <new>
#include <stdexcept>

#include "guard/sodium.hpp"
#include "guard/tokens.hpp"

namespace floodgate::guard {
namespace {

password_cost checked(password_cost cost) {
    const bool good = cost.passes >= crypto_pwhash_OPSLIMIT_MIN &&
                      cost.passes <= crypto_pwhash_OPSLIMIT_MAX &&
                      cost.memory_bytes >= crypto_pwhash_MEMLIMIT_MIN &&
                      cost.memory_bytes <= crypto_pwhash_MEMLIMIT_MAX;
    if (!good)
        throw std::invalid_argument("password cost must be at least 1 pass over 8192 bytes, not " +
                                    std::to_string(cost.passes) + " over " +
                                    std::to_string(cost.memory_bytes));
    return cost;
}

}  // namespace

passwords::passwords(password_cost cost) : cost_(checked(cost)), nobodys_(hash(new_token())) {}

std::string passwords::hash(std::string_view password) const {
    need_sodium();
    std::array<char, crypto_pwhash_STRBYTES> text;
    // The cost was checked, so this can fail only for lack of memory.
    if (crypto_pwhash_str(text.data(), password.data(), password.size(), cost_.passes,
                          cost_.memory_bytes) != 0)
        throw std::bad_alloc();
    return text.data();
}

bool passwords::verify(const std::string& hash, std::string_view password) const {
    need_sodium();
    errno = 0;
    if (crypto_pwhash_str_verify(hash.c_str(), password.data(), password.size()) == 0) return true;
    if (errno == ENOMEM) throw std::bad_alloc();
    return false;
}

bool passwords::spend(std::string_view password) const {
    static_cast<void>(verify(nobodys_, password));
    return false;
}

bool passwords::needs_rehash(const std::string& hash) const {
    return crypto_pwhash_str_needs_rehash(hash.c_str(), cost_.passes, cost_.memory_bytes) != 0;
}

}  // namespace floodgate::guard
