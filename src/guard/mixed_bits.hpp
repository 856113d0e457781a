// splitmix64's last step: every bit of the result depends on every bit of the key.

#pragma once

#include <cstdint>

namespace floodgate::guard {

constexpr std::uint64_t mixed_bits(std::uint64_t x) {
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
}

}  // namespace floodgate::guard
