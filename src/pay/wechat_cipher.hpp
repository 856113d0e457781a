// AES-256-GCM as WeChat Pay uses it for the resource of a notify and for platform certificates.

#pragma once

#include <array>
#include <string>
#include <string_view>

#include "pay/authenticity.hpp"
#include "pay/key_file.hpp"

namespace floodgate::pay {

inline constexpr const char* wechat_cipher_name = "AEAD_AES_256_GCM";
inline constexpr std::size_t wechat_cipher_nonce_bytes = 12;
inline constexpr std::size_t wechat_associated_bytes_max = 128;
inline constexpr std::size_t wechat_content_bytes_max = 262'144;

// How the APIv3 keys begin that `floodgate sandbox` makes.
inline constexpr std::string_view sandbox_apiv3_prefix = "FloodgateSandbox";

// The APIv3 key that merchant and platform share: 32 letters, digits or other visible characters.
class apiv3_key {
public:
    // Throws key_error. A line end after the key is dropped.
    static apiv3_key from_text(std::string_view text, const std::string& name = "the APIv3 key");
    // Refuses a file that the group or others may read or write.
    static apiv3_key from_file(const std::string& path);

    apiv3_key(const apiv3_key&) = default;
    apiv3_key& operator=(const apiv3_key&) = default;
    ~apiv3_key();

    const unsigned char* data() const { return bytes_.data(); }
    // Whether `floodgate sandbox` made it, so that it is worth nothing.
    bool is_from_sandbox() const;

private:
    apiv3_key() = default;
    std::array<unsigned char, 32> bytes_{};
};

// The fields of a resource, as they stand in its JSON.
struct wechat_resource {
    std::string algorithm = wechat_cipher_name;
    std::string
        ciphertext;     // base64 of the encrypted bytes and, after them, the 16 bytes of the tag
    std::string nonce;  // 12 bytes of text
    std::string associated_data;  // may be empty
};

struct wechat_content {
    authenticity how = authenticity::malformed;
    std::string text;  // empty unless genuine
};

// malformed: the nonce has not 12 bytes, or ciphertext is not base64, shorter than a tag or longer
// than allowed. wrong_algorithm: another one than ours. bad_cipher: the tag does not fit.
wechat_content decrypt_resource(const wechat_resource& resource, const apiv3_key& key);

// The other side, for the sandbox. A nonce must never be used twice with a key; throws
// std::invalid_argument if it has not 12 bytes, or if a text is longer than allowed.
wechat_resource encrypt_resource(std::string_view text, const apiv3_key& key, std::string nonce,
                                 std::string associated_data);

}  // namespace floodgate::pay
