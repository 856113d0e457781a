// Fresh keys for `floodgate sandbox`. They can be told from real ones: see sandbox_exponent.

#pragma once

#include <string>

#include "base/clock.hpp"
#include "pay/keys.hpp"

namespace floodgate::pay {

struct key_pair_pem {
    std::string private_pem;  // PKCS#8
    std::string public_pem;   // SubjectPublicKeyInfo
};

// A new RSA key of 2048 bits. Takes a tenth of a second or so.
key_pair_pem make_key_pair();

struct certificate_terms {
    std::string common_name;
    instant valid_from;
    instant valid_until;
};

// A certificate of the key, signed by itself, as PEM. Its serial is random and has 40 digits.
std::string make_certificate(const private_key& key, const certificate_terms& terms);

}  // namespace floodgate::pay
