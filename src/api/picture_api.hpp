// Pictures: uploaded by staff, shown to everybody.

#pragma once

#include "api/services.hpp"

namespace floodgate::api {

// The longest upload that any configuration may allow.
inline constexpr std::size_t picture_upload_bytes_max = 16 << 20;

// The body is the picture: PNG, JPEG or WebP, by its content. -> {address, width, height, bytes}.
// 201: it is new; 200: it was there already. 413: too many bytes; 422: no picture, or too large.
reply add_picture(services& with, const call& c);

// When it is not in memory.
reply get_picture(services& with, const call& c);

}  // namespace floodgate::api
