// What kind of picture some bytes are, and its size, by their content.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace floodgate::api {

enum class picture_kind : std::uint8_t { png = 1, jpeg, webp };

struct picture_header {
    picture_kind kind{};
    std::uint32_t width = 0, height = 0;  // in pixels, not 0
};

// Empty: neither PNG, JPEG nor WebP, or its header is broken. Reads the header only.
std::optional<picture_header> read_picture_header(std::string_view bytes);

const char* to_text(picture_kind kind);        // "png", "jpeg", "webp": the kinds in the ledger
const char* file_ending(picture_kind kind);    // "png", "jpg", "webp"
const char* media_type_of(picture_kind kind);  // "image/png"
std::optional<picture_kind> kind_of_ending(std::string_view ending);

}  // namespace floodgate::api
