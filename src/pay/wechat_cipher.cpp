#include "pay/wechat_cipher.hpp"

#include <algorithm>
#include <span>

#include "pay/base64.hpp"
#include "pay/openssl_handles.hpp"

namespace floodgate::pay {
namespace {

constexpr std::size_t tag_bytes = 16;

// Looked up once: OpenSSL 3 would otherwise look for it at every message.
const EVP_CIPHER* aes_256_gcm() {
    static EVP_CIPHER* const found = EVP_CIPHER_fetch(nullptr, "AES-256-GCM", nullptr);
    if (found == nullptr) throw std::runtime_error("OpenSSL has no AES-256-GCM");
    return found;
}

cipher_owner new_cipher() {
    cipher_owner made(EVP_CIPHER_CTX_new());
    if (!made) throw std::bad_alloc();
    return made;
}

// The text, or false: the tag does not fit.
bool open_sealed(const wechat_resource& r, const apiv3_key& key, std::string_view sealed,
                 std::string& text) {
    const error_list_cleaner cleaner;
    const cipher_owner cipher = new_cipher();
    std::string tag(sealed.substr(sealed.size() - tag_bytes));
    sealed.remove_suffix(tag_bytes);
    text.resize(sealed.size());
    int size = 0;
    return EVP_DecryptInit_ex2(cipher.get(), aes_256_gcm(), key.data(),
                               bytes_of(std::string_view(r.nonce)), nullptr) == 1 &&
           EVP_DecryptUpdate(cipher.get(), nullptr, &size,
                             bytes_of(std::string_view(r.associated_data)),
                             static_cast<int>(r.associated_data.size())) == 1 &&
           EVP_DecryptUpdate(cipher.get(), bytes_of(text), &size, bytes_of(sealed),
                             static_cast<int>(sealed.size())) == 1 &&
           EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_AEAD_SET_TAG, tag_bytes, tag.data()) == 1 &&
           EVP_DecryptFinal_ex(cipher.get(), bytes_of(text) + text.size(), &size) == 1;
}

}  // namespace

apiv3_key apiv3_key::from_text(std::string_view text, const std::string& name) {
    while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
    apiv3_key key;
    const bool visible = std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7F'; });
    if (text.size() != key.bytes_.size() || !visible)
        throw key_error(name +
                        " is not an APIv3 key: it must be the 32 letters and digits that "
                        "were set in the merchant console, on one line");
    std::ranges::copy(text, key.bytes_.begin());
    return key;
}

apiv3_key apiv3_key::from_file(const std::string& path) {
    std::string text = read_key_file(path, key_secrecy::owner_only);
    const wiper wiped(text);
    return from_text(text, path);
}

bool apiv3_key::is_from_sandbox() const {
    return std::ranges::equal(sandbox_apiv3_prefix,
                              std::span(bytes_).first<sandbox_apiv3_prefix.size()>());
}

apiv3_key::~apiv3_key() { OPENSSL_cleanse(bytes_.data(), bytes_.size()); }

wechat_content decrypt_resource(const wechat_resource& resource, const apiv3_key& key) {
    if (resource.algorithm != wechat_cipher_name) return {authenticity::wrong_algorithm, ""};
    if (resource.nonce.size() != wechat_cipher_nonce_bytes ||
        resource.associated_data.size() > wechat_associated_bytes_max ||
        resource.ciphertext.size() / 4 * 3 > wechat_content_bytes_max + tag_bytes + 3)
        return {authenticity::malformed, ""};
    const auto sealed = from_base64(resource.ciphertext);
    if (!sealed || sealed->size() < tag_bytes) return {authenticity::malformed, ""};
    wechat_content content{authenticity::genuine, ""};
    if (!open_sealed(resource, key, *sealed, content.text)) return {authenticity::bad_cipher, ""};
    return content;
}

wechat_resource encrypt_resource(std::string_view text, const apiv3_key& key, std::string nonce,
                                 std::string associated_data) {
    if (nonce.size() != wechat_cipher_nonce_bytes || text.size() > wechat_content_bytes_max ||
        associated_data.size() > wechat_associated_bytes_max)
        throw std::invalid_argument("a nonce has 12 bytes, and texts have a limit");
    const error_list_cleaner cleaner;
    const cipher_owner cipher = new_cipher();
    std::string sealed(text.size() + tag_bytes, '\0');
    unsigned char* tag = bytes_of(sealed) + text.size();
    int size = 0;
    if (EVP_EncryptInit_ex2(cipher.get(), aes_256_gcm(), key.data(),
                            bytes_of(std::string_view(nonce)), nullptr) != 1 ||
        EVP_EncryptUpdate(cipher.get(), nullptr, &size, bytes_of(std::string_view(associated_data)),
                          static_cast<int>(associated_data.size())) != 1 ||
        EVP_EncryptUpdate(cipher.get(), bytes_of(sealed), &size, bytes_of(text),
                          static_cast<int>(text.size())) != 1 ||
        EVP_EncryptFinal_ex(cipher.get(), tag, &size) != 1 ||
        EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_AEAD_GET_TAG, tag_bytes, tag) != 1)
        throw std::runtime_error("OpenSSL could not encrypt");
    return {wechat_cipher_name, to_base64(sealed), std::move(nonce), std::move(associated_data)};
}

}  // namespace floodgate::pay
