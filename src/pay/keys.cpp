#include "pay/keys.hpp"

#include <openssl/core_names.h>

#include "pay/base64.hpp"
#include "pay/openssl_handles.hpp"

namespace floodgate::pay {
namespace {

// Looked up once: OpenSSL 3 would otherwise look for it at every signature.
const EVP_MD* sha256() {
    static EVP_MD* const found = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    if (found == nullptr) throw std::runtime_error("OpenSSL has no SHA256");
    return found;
}

digest_owner new_digest() {
    digest_owner made(EVP_MD_CTX_new());
    if (!made) throw std::bad_alloc();
    return made;
}

}  // namespace

bool public_key::verify_sha256(std::string_view text, std::string_view signature) const {
    const auto bytes = from_base64(signature);
    if (!bytes) return false;
    const error_list_cleaner cleaner;
    const digest_owner digest = new_digest();
    return EVP_DigestVerifyInit(digest.get(), nullptr, sha256(), nullptr, key_.get()) == 1 &&
           EVP_DigestVerify(digest.get(), bytes_of(*bytes), bytes->size(), bytes_of(text),
                            text.size()) == 1;
}

bool public_key::is_from_sandbox() const {
    const error_list_cleaner cleaner;
    BIGNUM* exponent = nullptr;
    if (EVP_PKEY_get_bn_param(key_.get(), OSSL_PKEY_PARAM_RSA_E, &exponent) != 1) return false;
    const number_owner owned(exponent);
    return BN_is_word(exponent, sandbox_exponent) == 1;
}

std::string private_key::sign_sha256(std::string_view text) const {
    const error_list_cleaner cleaner;
    const digest_owner digest = new_digest();
    std::size_t size = static_cast<std::size_t>(EVP_PKEY_get_size(key_.get()));
    std::string signature(size, '\0');
    if (EVP_DigestSignInit(digest.get(), nullptr, sha256(), nullptr, key_.get()) != 1 ||
        EVP_DigestSign(digest.get(), bytes_of(signature), &size, bytes_of(text), text.size()) != 1)
        throw std::runtime_error("OpenSSL could not sign");
    signature.resize(size);
    return to_base64(signature);
}

// Made anew from the public numbers, so that copies of it hold nothing secret.
public_key private_key::public_half() const {
    const error_list_cleaner cleaner;
    unsigned char* encoded = nullptr;
    const int size = i2d_PUBKEY(key_.get(), &encoded);
    if (size <= 0) throw std::runtime_error("OpenSSL could not write a public key");
    const unsigned char* at = encoded;
    key_owner half(d2i_PUBKEY(nullptr, &at, size));
    OPENSSL_free(encoded);
    if (!half) throw std::runtime_error("OpenSSL could not read its own public key");
    return {std::shared_ptr<EVP_PKEY>(std::move(half)), ""};
}

bool matches(const private_key& a, const public_key& b) {
    const error_list_cleaner cleaner;
    return EVP_PKEY_eq(a.key_.get(), b.key_.get()) == 1;
}

}  // namespace floodgate::pay
