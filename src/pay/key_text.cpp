// How the keys of keys.hpp are read. PEM is taken apart here instead of by PEM_read_bio_PrivateKey,
// which would ask for a pass phrase on the terminal.

#include <fmt/format.h>
#include <openssl/pem.h>

#include <optional>

#include "pay/base64.hpp"
#include "pay/keys.hpp"
#include "pay/openssl_handles.hpp"

namespace floodgate::pay {
namespace {

// What a text turned out to hold.
struct found_key {
    key_owner key;  // null: neither a key nor a certificate
    bool is_private = false;
    bool is_encrypted = false;
    std::string serial;
};

// A block of PEM, or of bare base64, which has no label.
struct key_block {
    std::string label;
    std::string der;
    bool is_encrypted = false;
};

std::optional<key_block> read_pem(std::string_view text) {
    const bio_owner in(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
    char* label = nullptr;
    char* header = nullptr;
    unsigned char* data = nullptr;
    long size = 0;
    if (!in || PEM_read_bio(in.get(), &label, &header, &data, &size) != 1) return std::nullopt;
    key_block block{label, {reinterpret_cast<char*>(data), static_cast<std::size_t>(size)}};
    block.is_encrypted = block.label == PEM_STRING_PKCS8 ||
                         std::string_view(header).find("ENCRYPTED") != std::string_view::npos;
    OPENSSL_free(label);
    OPENSSL_free(header);
    OPENSSL_clear_free(data, static_cast<std::size_t>(size));
    return block;
}

std::optional<key_block> read_bare(std::string_view text) {
    std::string joined(text);
    const wiper wiped(joined);
    const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
    std::erase_if(joined, is_blank);
    auto der = from_base64(joined);
    if (!der || der->empty()) return std::nullopt;
    return key_block{"", std::move(*der)};
}

// All of the bytes as what `read` reads, or null.
template <class Owner, class Read>
Owner whole(const std::string& der, Read read) {
    const unsigned char* at = bytes_of(std::string_view(der));
    const unsigned char* end = at + der.size();
    Owner made(read(&at, static_cast<long>(der.size())));
    if (at != end) made.reset();
    return made;
}

std::string serial_of(X509& certificate) {
    const number_owner number(ASN1_INTEGER_to_BN(X509_get0_serialNumber(&certificate), nullptr));
    char* text = number ? BN_bn2hex(number.get()) : nullptr;
    std::string serial = text ? text : "";
    OPENSSL_free(text);
    return serial;
}

bool read_certificate(const std::string& der, found_key& out) {
    const auto certificate = whole<certificate_owner>(
        der, [](auto** at, long size) { return d2i_X509(nullptr, at, size); });
    if (!certificate) return false;
    out.key.reset(X509_get_pubkey(certificate.get()));
    out.serial = serial_of(*certificate);
    return out.key != nullptr;
}

bool read_public(const std::string& der, found_key& out) {
    out.key =
        whole<key_owner>(der, [](auto** at, long size) { return d2i_PUBKEY(nullptr, at, size); });
    if (out.key) return true;
    out.key = whole<key_owner>(
        der, [](auto** at, long size) { return d2i_PublicKey(EVP_PKEY_RSA, nullptr, at, size); });
    return out.key != nullptr;
}

bool read_private(const std::string& der, found_key& out) {
    out.key = whole<key_owner>(
        der, [](auto** at, long size) { return d2i_AutoPrivateKey(nullptr, at, size); });
    out.is_private = out.key != nullptr;
    return out.is_private;
}

found_key find_key(std::string_view text) {
    found_key found;
    const bool is_pem = text.find("-----BEGIN ") != std::string_view::npos;
    std::optional<key_block> block = is_pem ? read_pem(text) : read_bare(text);
    if (!block) return found;
    const wiper wiped(block->der);
    found.is_encrypted = block->is_encrypted;
    if (found.is_encrypted) return found;
    const bool bare = block->label.empty();
    if ((bare || block->label.ends_with("PRIVATE KEY")) && read_private(block->der, found))
        return found;
    if ((bare || block->label.ends_with("PUBLIC KEY")) && read_public(block->der, found))
        return found;
    if (bare || block->label.ends_with("CERTIFICATE")) read_certificate(block->der, found);
    return found;
}

void require_strength(const found_key& found, const std::string& name) {
    if (EVP_PKEY_get_base_id(found.key.get()) != EVP_PKEY_RSA)
        throw key_error(name + " is not an RSA key: the channels use RSA with 2048 bits or more");
    const int bits = EVP_PKEY_get_bits(found.key.get());
    if (bits < key_bits_min)
        throw key_error(fmt::format("{} has {} bits, which is too few: make one with {} or more",
                                    name, bits, key_bits_min));
}

// A key with a damaged number still loads.
bool signs_well(const private_key& key) {
    try {
        return key.public_half().verify_sha256("floodgate", key.sign_sha256("floodgate"));
    } catch (const std::runtime_error&) {
        return false;
    }
}

}  // namespace

public_key public_key::from_text(std::string_view text, const std::string& name) {
    const error_list_cleaner cleaner;
    found_key found = find_key(text);
    if (found.is_private || found.is_encrypted)
        throw key_error(name +
                        " is a private key where a public one belongs: put the public key "
                        "or the certificate there (openssl pkey -pubout makes one)");
    if (!found.key)
        throw key_error(name +
                        " holds no public key and no certificate: it must be PEM, or "
                        "the base64 of a key without the PEM lines");
    require_strength(found, name);
    return {std::shared_ptr<EVP_PKEY>(std::move(found.key)), std::move(found.serial)};
}

public_key public_key::from_file(const std::string& path) {
    // If it is a private key by mistake, it is wiped all the same.
    std::string text = read_key_file(path, key_secrecy::open_to_all);
    const wiper wiped(text);
    return from_text(text, path);
}

private_key private_key::from_text(std::string_view text, const std::string& name) {
    const error_list_cleaner cleaner;
    found_key found = find_key(text);
    if (found.is_encrypted)
        throw key_error(name +
                        " is encrypted: store it without a pass phrase "
                        "(openssl pkcs8 -topk8 -nocrypt) and chmod 600 it");
    if (found.key && !found.is_private)
        throw key_error(name +
                        " is a public key or a certificate where a private key belongs: put "
                        "the private key there");
    if (!found.key)
        throw key_error(name +
                        " holds no private key: it must be PEM (PKCS#8 or PKCS#1), or the "
                        "base64 of a key without the PEM lines");
    require_strength(found, name);
    private_key key{std::shared_ptr<EVP_PKEY>(std::move(found.key))};
    if (!signs_well(key))
        throw key_error(name + " is damaged, it cannot verify what it signs: take a fresh copy");
    return key;
}

private_key private_key::from_file(const std::string& path) {
    std::string text = read_key_file(path, key_secrecy::owner_only);
    const wiper wiped(text);
    return from_text(text, path);
}

}  // namespace floodgate::pay
