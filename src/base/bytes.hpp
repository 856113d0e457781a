// Numbers as little-endian bytes, for what is written to disk.

#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>

namespace floodgate {

static_assert(std::endian::native == std::endian::little, "the disk formats are little-endian");

using byte_view = std::span<const std::byte>;

template <std::integral T>
void put(std::byte*& at, T value) {
    std::memcpy(at, &value, sizeof value);
    at += sizeof value;
}

template <std::integral T>
T take(const std::byte*& at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
}

}  // namespace floodgate
