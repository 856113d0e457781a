// Could this be what a crash left of one record?

#pragma once

#include <optional>

#include "journal/format.hpp"

namespace floodgate::journal {

// What the record that was being written must have said.
struct expected_record {
    sale::sequence first;
    sale::sequence watermark;
    std::uint32_t previous_crc;
};

// `tail` begins where the record would and reaches to the end of its segment. The number of bytes
// up to the last that is not zero, when they can be the remains of exactly this record; nothing
// when something else has been at work.
std::optional<std::size_t> judge_remains(byte_view tail, const expected_record& expected);

// Where on the grid, from `from` on, a sound record begins.
std::optional<std::size_t> find_record(byte_view bytes, std::size_t from);

// Up to and with the last byte that is not zero.
std::size_t used_bytes(byte_view bytes);

}  // namespace floodgate::journal
