#include "pay/base64.hpp"

#include <openssl/evp.h>

#include <limits>
#include <stdexcept>

namespace floodgate::pay {
namespace {

constexpr std::size_t coded_bytes_max = std::numeric_limits<int>::max() / 2;

}  // namespace

std::string to_base64(std::string_view bytes) {
    if (bytes.size() > coded_bytes_max) throw std::length_error("too long for base64");
    std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');  // OpenSSL ends it with a zero
    const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
    out.resize(static_cast<std::size_t>(size));
    return out;
}

std::optional<std::string> from_base64(std::string_view text) {
    if (text.size() % 4 != 0 || text.size() > coded_bytes_max) return std::nullopt;
    std::string out(text.size() / 4 * 3, '\0');
    const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                     reinterpret_cast<const unsigned char*>(text.data()),
                                     static_cast<int>(text.size()));
    if (size < 0) return std::nullopt;
    // OpenSSL counts the padding as zero bytes, and forgives blanks around the text.
    const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    if (static_cast<std::size_t>(size) < padding) return std::nullopt;
    out.resize(static_cast<std::size_t>(size) - padding);
    if (to_base64(out) != text) return std::nullopt;
    return out;
}

}  // namespace floodgate::pay
