// The RSA keys of the channels: SHA256withRSA, PKCS#1 v1.5, at least 2048 bits.
//
// A key may be written as PEM, or as the base64 inside it without its first and last line, as
// Alipay's console hands it out. Loading throws key_error, whose sentence says how to mend it.
// Both types are values that are cheap to copy; several threads may use one at the same time.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "pay/key_file.hpp"

struct evp_pkey_st;

namespace floodgate::pay {

inline constexpr int key_bits_min = 2048;

// The public exponent of the keys that `floodgate sandbox` makes: a prime that no other program
// chooses, where 65537 is the rule. It is part of the key, so such a key is known in every form:
// PEM, bare base64, certificate, and either half.
inline constexpr unsigned long sandbox_exponent = 1'000'003;

class private_key;

class public_key {
public:
    // SubjectPublicKeyInfo ("PUBLIC KEY"), PKCS#1 ("RSA PUBLIC KEY") or a certificate. `name` is
    // what error messages call it.
    static public_key from_text(std::string_view text, const std::string& name = "the key");
    static public_key from_file(const std::string& path);

    // False also for a signature that is not base64.
    bool verify_sha256(std::string_view text, std::string_view signature) const;

    // Upper-case hexadecimal, as WeChat Pay writes it; empty if it came from no certificate.
    const std::string& certificate_serial() const { return serial_; }

    // Whether `floodgate sandbox` made it, so that it is worth nothing.
    bool is_from_sandbox() const;

private:
    friend class private_key;
    friend bool matches(const private_key& a, const public_key& b);
    public_key(std::shared_ptr<evp_pkey_st> key, std::string serial)
        : key_(std::move(key)), serial_(std::move(serial)) {}

    std::shared_ptr<evp_pkey_st> key_;
    std::string serial_;
};

class private_key {
public:
    // PKCS#8 ("PRIVATE KEY") or PKCS#1 ("RSA PRIVATE KEY"), without a pass phrase.
    static private_key from_text(std::string_view text, const std::string& name = "the key");
    // Refuses a file that the group or others may read or write.
    static private_key from_file(const std::string& path);

    std::string sign_sha256(std::string_view text) const;  // in base64
    public_key public_half() const;
    bool is_from_sandbox() const { return public_half().is_from_sandbox(); }

    evp_pkey_st* handle() const { return key_.get(); }  // for new_keys.cpp

private:
    friend bool matches(const private_key& a, const public_key& b);
    explicit private_key(std::shared_ptr<evp_pkey_st> key) : key_(std::move(key)) {}

    std::shared_ptr<evp_pkey_st> key_;
};

// Whether the two belong together.
bool matches(const private_key& a, const public_key& b);

}  // namespace floodgate::pay
