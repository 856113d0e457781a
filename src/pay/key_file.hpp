// Reads a file with a key. Every refusal is one sentence that says how to mend it.

#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace floodgate::pay {

// One line for a person: which file or key, what is wrong with it, what to do. Never a byte of it.
struct key_error : std::runtime_error {
    using runtime_error::runtime_error;
};

inline constexpr std::size_t key_file_bytes_max = 65'536;

enum class key_secrecy : std::uint8_t {
    open_to_all = 1,  // public keys, certificates
    owner_only,       // refused if the group or others may read or write it
};

// Throws key_error: the file is missing, cannot be read, is no regular file, is empty or longer
// than key_file_bytes_max, or is open to others.
std::string read_key_file(const std::string& path, key_secrecy secrecy);

}  // namespace floodgate::pay
