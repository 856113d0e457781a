// A file that only its owner can read.

#pragma once

#include <string>

namespace floodgate::engine {

// Replaces the file as a whole. Throws std::runtime_error.
void write_private_file(const std::string& path, const std::string& text);

}  // namespace floodgate::engine
