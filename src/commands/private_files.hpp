// Files and directories that only their owner can read.

#pragma once

#include <memory>
#include <string>

#include "engine/private_file.hpp"
#include "store/files/file_system.hpp"

namespace floodgate::commands {

using engine::write_private_file;

// Makes the directory where there is none, sees to it that only its owner can enter, and holds it.
// Throws std::runtime_error with one clear line: it is in use by `another`, or cannot be made.
std::unique_ptr<store::directory_lock> take_directory(store::file_system& files,
                                                      const std::string& path,
                                                      const std::string& another);

}  // namespace floodgate::commands
