// Owners of what OpenSSL allocates. Include it in .cpp files only.

#pragma once

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

namespace floodgate::pay {

template <auto Free>
struct freed_by {
    template <class T>
    void operator()(T* p) const {
        Free(p);
    }
};

using bio_owner = std::unique_ptr<BIO, freed_by<BIO_free_all>>;
using key_owner = std::unique_ptr<EVP_PKEY, freed_by<EVP_PKEY_free>>;
using key_context_owner = std::unique_ptr<EVP_PKEY_CTX, freed_by<EVP_PKEY_CTX_free>>;
using digest_owner = std::unique_ptr<EVP_MD_CTX, freed_by<EVP_MD_CTX_free>>;
using cipher_owner = std::unique_ptr<EVP_CIPHER_CTX, freed_by<EVP_CIPHER_CTX_free>>;
using certificate_owner = std::unique_ptr<X509, freed_by<X509_free>>;
using number_owner = std::unique_ptr<BIGNUM, freed_by<BN_free>>;

// OpenSSL keeps a list of errors for each thread. One that a refused signature leaves behind would
// be taken for an error of the thread's next TLS call.
struct error_list_cleaner {
    error_list_cleaner() = default;
    error_list_cleaner(const error_list_cleaner&) = delete;
    error_list_cleaner& operator=(const error_list_cleaner&) = delete;
    ~error_list_cleaner() { ERR_clear_error(); }
};

// Overwrites a text that held a secret.
class wiper {
public:
    explicit wiper(std::string& text) : text_(text) {}
    wiper(const wiper&) = delete;
    wiper& operator=(const wiper&) = delete;
    ~wiper() { OPENSSL_cleanse(text_.data(), text_.size()); }

private:
    std::string& text_;
};

inline const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}
inline unsigned char* bytes_of(std::string& text) {
    return reinterpret_cast<unsigned char*>(text.data());
}

}  // namespace floodgate::pay
