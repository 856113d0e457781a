#include "base/random_id.hpp"

#include <random>
#include <vector>

#include "base/hex.hpp"

namespace floodgate {

std::string random_id(std::size_t bytes) {
    std::random_device chance;
    std::vector<std::byte> id(bytes);
    for (std::byte& b : id) b = static_cast<std::byte>(chance());
    return to_hex(id);
}

}  // namespace floodgate
