#include "journal/crc32c.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string_view>
#include <vector>

namespace floodgate::journal {
namespace {

byte_view bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

struct known_answer {
    std::vector<std::byte> bytes;
    std::uint32_t crc;
};

// RFC 3720, appendix B.4.
std::vector<known_answer> rfc_3720() {
    std::vector<std::byte> up(32), down(32);
    for (int i = 0; i < 32; ++i) {
        up[static_cast<std::size_t>(i)] = static_cast<std::byte>(i);
        down[static_cast<std::size_t>(i)] = static_cast<std::byte>(31 - i);
    }
    return {{std::vector<std::byte>(32, std::byte{0x00}), 0x8a9136aaU},
            {std::vector<std::byte>(32, std::byte{0xff}), 0x62a8ab43U},
            {up, 0x46dd794eU},
            {down, 0x113fdb5cU}};
}

TEST(Crc32c, GivesTheKnownAnswers) {
    EXPECT_EQ(crc32c(0, {}), 0U);
    EXPECT_EQ(crc32c(0, bytes_of("123456789")), 0xe3069283U);
    for (const auto& [bytes, crc] : rfc_3720()) {
        EXPECT_EQ(crc32c(0, bytes), crc);
        EXPECT_EQ(crc32c_by_table(0, bytes), crc);
    }
}

TEST(Crc32c, CanBeTakenInPieces) {
    const byte_view whole = bytes_of("one record, two pieces");
    for (std::size_t cut = 0; cut <= whole.size(); ++cut)
        EXPECT_EQ(crc32c(crc32c(0, whole.first(cut)), whole.subspan(cut)), crc32c(0, whole));
}

TEST(Crc32c, IsTheSameByTableAndByInstruction) {
    if (!has_crc32c_instruction()) GTEST_SKIP() << "this processor has no SSE 4.2";
    std::mt19937_64 random(1);
    std::vector<std::byte> bytes(300);
    std::ranges::generate(bytes, [&] { return static_cast<std::byte>(random()); });
    for (std::size_t from = 0; from < 9; ++from) {
        for (std::size_t size = 0; size < 256; ++size) {
            const auto part = byte_view(bytes).subspan(from, size);
            ASSERT_EQ(crc32c_by_instruction(7, part), crc32c_by_table(7, part)) << size;
        }
    }
}

}  // namespace
}  // namespace floodgate::journal
