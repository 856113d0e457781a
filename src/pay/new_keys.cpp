#include "pay/new_keys.hpp"

#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>

#include <array>
#include <stdexcept>

#include "pay/openssl_handles.hpp"

namespace floodgate::pay {
namespace {

constexpr int serial_bytes = 20;
constexpr long x509_version_3 = 2;  // they count from 0

void require(bool good, const char* what) {
    if (!good) throw std::runtime_error(std::string("OpenSSL could not ") + what);
}

bio_owner new_text() {
    bio_owner made(BIO_new(BIO_s_mem()));
    require(made != nullptr, "allocate memory");
    return made;
}

std::string text_in(const bio_owner& bio) {
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio.get(), &data);
    return {data, static_cast<std::size_t>(size)};
}

void set_serial(X509& certificate) {
    std::array<unsigned char, serial_bytes> random{};
    require(RAND_bytes(random.data(), serial_bytes) == 1, "make a serial");
    random[0] = static_cast<unsigned char>((random[0] & 0x7FU) | 0x40U);  // positive, full length
    const number_owner number(BN_bin2bn(random.data(), serial_bytes, nullptr));
    require(number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(&certificate)),
            "make a serial");
}

void set_name(X509& certificate, const std::string& common_name) {
    X509_NAME* name = X509_get_subject_name(&certificate);
    require(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, bytes_of(common_name),
                                       static_cast<int>(common_name.size()), -1, 0) == 1,
            "name a certificate");
    require(X509_set_issuer_name(&certificate, name) == 1, "name a certificate");
}

key_owner new_sandbox_key() {
    const key_context_owner by(EVP_PKEY_CTX_new_from_name(nullptr, "RSA", nullptr));
    const number_owner exponent(BN_new());
    require(by && exponent && BN_set_word(exponent.get(), sandbox_exponent) == 1 &&
                EVP_PKEY_keygen_init(by.get()) == 1 &&
                EVP_PKEY_CTX_set_rsa_keygen_bits(by.get(), key_bits_min) == 1 &&
                EVP_PKEY_CTX_set1_rsa_keygen_pubexp(by.get(), exponent.get()) == 1,
            "prepare a key");
    EVP_PKEY* made = nullptr;
    require(EVP_PKEY_generate(by.get(), &made) == 1, "make a key");
    return key_owner(made);
}

std::time_t seconds_of(instant t) {
    return std::chrono::floor<std::chrono::seconds>(t).time_since_epoch().count();
}

}  // namespace

key_pair_pem make_key_pair() {
    const error_list_cleaner cleaner;
    const key_owner key = new_sandbox_key();
    const bio_owner secret = new_text(), open = new_text();
    require(PEM_write_bio_PKCS8PrivateKey(secret.get(), key.get(), nullptr, nullptr, 0, nullptr,
                                          nullptr) == 1 &&
                PEM_write_bio_PUBKEY(open.get(), key.get()) == 1,
            "write a key");
    return {text_in(secret), text_in(open)};
}

std::string make_certificate(const private_key& key, const certificate_terms& terms) {
    const error_list_cleaner cleaner;
    const certificate_owner made(X509_new());
    require(made && X509_set_version(made.get(), x509_version_3) == 1, "make a certificate");
    set_serial(*made);
    set_name(*made, terms.common_name);
    require(ASN1_TIME_set(X509_getm_notBefore(made.get()), seconds_of(terms.valid_from)) &&
                ASN1_TIME_set(X509_getm_notAfter(made.get()), seconds_of(terms.valid_until)),
            "date a certificate");
    require(X509_set_pubkey(made.get(), key.handle()) == 1 &&
                X509_sign(made.get(), key.handle(), EVP_sha256()) > 0,
            "sign a certificate");
    const bio_owner out = new_text();
    require(PEM_write_bio_X509(out.get(), made.get()) == 1, "write a certificate");
    return text_in(out);
}

}  // namespace floodgate::pay
