// FNV-1a, 64 bits: the same on every node and in every version, which std::hash does not promise.
// For ETags and rate-limit keys. It does not resist an attacker who looks for collisions.

#pragma once

#include <cstdint>
#include <string_view>

namespace floodgate::api {

constexpr std::uint64_t fnv1a(std::string_view text) {
    std::uint64_t hash = 14'695'981'039'346'656'037U;
    for (const char c : text) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 1'099'511'628'211U;
    }
    return hash;
}

}  // namespace floodgate::api
