// CRC32C (Castagnoli), the checksum of iSCSI, ext4 and the journal: finds every error burst up to
// 32 bits, and modern processors have an instruction for it. Debian has no library for it.

#pragma once

#include <cstdint>

#include "base/bytes.hpp"

namespace floodgate::journal {

// The checksum of the bytes before (0 for none) followed by `bytes`.
std::uint32_t crc32c(std::uint32_t before, byte_view bytes);

// Two ways to compute it, exposed for tests. crc32c chooses one at start.
std::uint32_t crc32c_by_table(std::uint32_t before, byte_view bytes);
bool has_crc32c_instruction();
std::uint32_t crc32c_by_instruction(std::uint32_t before, byte_view bytes);

}  // namespace floodgate::journal
