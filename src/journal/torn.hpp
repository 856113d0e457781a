// Can these bytes be what a crash left of one record?

#pragma once

#include <optional>

#include "journal/format.hpp"

namespace floodgate::journal {

// The header fields that the record being written must have had.
struct expected_record {
    sale::sequence first;
    sale::sequence watermark;
    std::uint32_t previous_crc;
};

// `tail` reaches from where the record would begin to the end of its segment. If its bytes can be
// the remains of exactly this record, gives their number up to the last that is not zero. Empty: a
// crash cannot have left these bytes.
std::optional<std::size_t> judge_remains(byte_view tail, const expected_record& expected);

// The first multiple of alignment_bytes, from `from` on, at which a sound record begins.
std::optional<std::size_t> find_record(byte_view bytes, std::size_t from);

// The number of bytes up to and including the last that is not zero.
std::size_t used_bytes(byte_view bytes);

}  // namespace floodgate::journal
