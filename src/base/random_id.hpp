// A name that no other process has, by which a node recognises its own lock, message or queue.
//
// Random enough not to collide, but not a secret: tokens and keys come from guard/.

#pragma once

#include <cstddef>
#include <string>

namespace floodgate {

inline constexpr std::size_t random_id_bytes = 8;

// Two lower-case hexadecimal digits for each byte.
std::string random_id(std::size_t bytes = random_id_bytes);

}  // namespace floodgate
