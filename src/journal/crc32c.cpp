#include "journal/crc32c.hpp"

#include <array>
#include <cassert>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace floodgate::journal {
namespace {

constexpr std::uint32_t polynomial = 0x82f63b78U;  // Castagnoli, bits reversed

constexpr std::array<std::uint32_t, 256> make_table() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
        std::uint32_t value = i;
        for (int bit = 0; bit < 8; ++bit)
            value = (value >> 1U) ^ ((value & 1U) != 0 ? polynomial : 0U);
        table[i] = value;
    }
    return table;
}

constexpr auto table = make_table();

}  // namespace

std::uint32_t crc32c_by_table(std::uint32_t before, byte_view bytes) {
    std::uint32_t value = ~before;
    for (const std::byte b : bytes)
        value = (value >> 8U) ^ table[(value ^ std::to_integer<std::uint32_t>(b)) & 0xffU];
    return ~value;
}

#if defined(__x86_64__)

bool has_crc32c_instruction() { return __builtin_cpu_supports("sse4.2") != 0; }

__attribute__((target("sse4.2"))) std::uint32_t crc32c_by_instruction(std::uint32_t before,
                                                                      byte_view bytes) {
    std::uint64_t value = ~before;
    const std::byte* at = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= 8; left -= 8) value = _mm_crc32_u64(value, take<std::uint64_t>(at));
    auto last = static_cast<std::uint32_t>(value);
    for (; left > 0; --left) last = _mm_crc32_u8(last, take<std::uint8_t>(at));
    return ~last;
}

#else

bool has_crc32c_instruction() { return false; }

std::uint32_t crc32c_by_instruction(std::uint32_t before, byte_view bytes) {
    assert(false && "this processor has no such instruction");
    return crc32c_by_table(before, bytes);
}

#endif

std::uint32_t crc32c(std::uint32_t before, byte_view bytes) {
    static const auto chosen = has_crc32c_instruction() ? crc32c_by_instruction : crc32c_by_table;
    return chosen(before, bytes);
}

}  // namespace floodgate::journal
