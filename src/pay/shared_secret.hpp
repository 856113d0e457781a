// A secret that the shop's own servers and Floodgate share: each signs with it, and each checks.

#pragma once

#include <string>
#include <string_view>

namespace floodgate::pay {

inline constexpr std::size_t shared_secret_bytes_min = 32;
inline constexpr std::size_t shared_secret_bytes_max = 1024;

class shared_secret {
public:
    // One line of visible characters; line ends after it do not count. Throws key_error, which
    // begins with `name`: it is too short, too long, or no such line.
    static shared_secret from_text(std::string_view text, const std::string& name);
    // Also throws what read_key_file throws: it must be readable by its owner alone.
    static shared_secret from_file(const std::string& path);

    shared_secret(const shared_secret&) = default;
    shared_secret& operator=(const shared_secret&) = default;
    ~shared_secret();  // overwrites it

    std::string_view bytes() const { return bytes_; }

private:
    explicit shared_secret(std::string_view bytes) : bytes_(bytes) {}

    std::string bytes_;
};

}  // namespace floodgate::pay
