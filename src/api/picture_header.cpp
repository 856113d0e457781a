#include "api/picture_header.hpp"

namespace floodgate::api {
namespace {

using namespace std::string_view_literals;

// Numbers at a place in the bytes; the caller has checked the length.
std::uint32_t byte_at(std::string_view b, std::size_t at) {
    return static_cast<unsigned char>(b[at]);
}
std::uint32_t big16(std::string_view b, std::size_t at) {
    return byte_at(b, at) << 8U | byte_at(b, at + 1);
}
std::uint32_t big32(std::string_view b, std::size_t at) {
    return big16(b, at) << 16U | big16(b, at + 2);
}
std::uint32_t little16(std::string_view b, std::size_t at) {
    return byte_at(b, at) | byte_at(b, at + 1) << 8U;
}
std::uint32_t little24(std::string_view b, std::size_t at) {
    return little16(b, at) | byte_at(b, at + 2) << 16U;
}
std::uint32_t little32(std::string_view b, std::size_t at) {
    return little16(b, at) | little16(b, at + 2) << 16U;
}

std::optional<picture_header> sized(picture_kind kind, std::uint32_t width, std::uint32_t height) {
    if (width == 0 || height == 0) return std::nullopt;
    return picture_header{kind, width, height};
}

std::optional<picture_header> read_png(std::string_view b) {
    if (b.size() < 33 || big32(b, 8) != 13 || b.substr(12, 4) != "IHDR") return std::nullopt;
    return sized(picture_kind::png, big32(b, 16), big32(b, 20));
}

bool starts_frame(std::uint32_t marker) {
    return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

// Segments, each with a marker and its length, until the one that starts the frame.
std::optional<picture_header> read_jpeg(std::string_view b) {
    std::size_t at = 2;
    while (at + 4 <= b.size()) {
        if (byte_at(b, at) != 0xff) return std::nullopt;
        const std::uint32_t marker = byte_at(b, at + 1);
        if (marker == 0xff) {  // filling
            ++at;
            continue;
        }
        if (marker == 0x01 || (marker >= 0xd0 && marker <= 0xd9)) return std::nullopt;
        const std::uint32_t length = big16(b, at + 2);
        if (length < 2) return std::nullopt;
        if (starts_frame(marker)) {
            if (length < 8 || at + 9 > b.size()) return std::nullopt;
            return sized(picture_kind::jpeg, big16(b, at + 7), big16(b, at + 5));
        }
        if (marker == 0xda) return std::nullopt;  // the scan, without a frame before it
        at += 2 + length;
    }
    return std::nullopt;
}

std::optional<picture_header> read_webp(std::string_view b) {
    constexpr std::uint32_t low14 = 0x3fff;
    if (b.size() < 30) return std::nullopt;
    const std::string_view chunk = b.substr(12, 4);
    if (chunk == "VP8 ") {
        if (b.substr(23, 3) != "\x9d\x01\x2a") return std::nullopt;
        return sized(picture_kind::webp, little16(b, 26) & low14, little16(b, 28) & low14);
    }
    if (chunk == "VP8L") {
        if (byte_at(b, 20) != 0x2f) return std::nullopt;
        const std::uint32_t bits = little32(b, 21);
        return sized(picture_kind::webp, (bits & low14) + 1, (bits >> 14U & low14) + 1);
    }
    if (chunk == "VP8X") return sized(picture_kind::webp, little24(b, 24) + 1, little24(b, 27) + 1);
    return std::nullopt;
}

}  // namespace

std::optional<picture_header> read_picture_header(std::string_view bytes) {
    if (bytes.starts_with("\x89PNG\r\n\x1a\n"sv)) return read_png(bytes);
    if (bytes.starts_with("\xff\xd8\xff"sv)) return read_jpeg(bytes);
    if (bytes.starts_with("RIFF"sv) && bytes.size() >= 12 && bytes.substr(8, 4) == "WEBP")
        return read_webp(bytes);
    return std::nullopt;
}

const char* to_text(picture_kind kind) {
    switch (kind) {
    case picture_kind::png: return "png";
    case picture_kind::jpeg: return "jpeg";
    case picture_kind::webp: return "webp";
    }
    return "";
}

const char* file_ending(picture_kind kind) {
    return kind == picture_kind::jpeg ? "jpg" : to_text(kind);
}

const char* media_type_of(picture_kind kind) {
    switch (kind) {
    case picture_kind::png: return "image/png";
    case picture_kind::jpeg: return "image/jpeg";
    case picture_kind::webp: return "image/webp";
    }
    return "";
}

std::optional<picture_kind> kind_of_ending(std::string_view ending) {
    using enum picture_kind;
    for (const picture_kind kind : {png, jpeg, webp})
        if (ending == file_ending(kind)) return kind;
    return std::nullopt;
}

}  // namespace floodgate::api
