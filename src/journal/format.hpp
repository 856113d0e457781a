// The bytes of the journal, shared by writer and reader. docs/journal_format.md describes them.
//
// A segment is a header, records, and zeros up to its fixed size. A record is a header, entries,
// and zeros up to the next multiple of eight. An entry is a length and an encoded promise. All
// numbers are little-endian; both headers carry a CRC32C, so each can be judged on its own.

#pragma once

#include <optional>

#include "base/bytes.hpp"
#include "sale/ids.hpp"

namespace floodgate::journal {

inline constexpr std::size_t alignment_bytes = 8;  // records begin at multiples of this
inline constexpr std::size_t segment_header_bytes = 64;
inline constexpr std::size_t record_header_bytes = 40;
inline constexpr std::size_t entry_header_bytes = 2;

// Header, entries and padding of one record. Bounds the memory of a reader and a torn tail.
inline constexpr std::size_t record_bytes_max = 4 << 20;
inline constexpr std::uint64_t segment_bytes_min = 1 << 10;
inline constexpr std::uint64_t segment_bytes_max = 1ULL << 30U;

struct segment_header {
    sale::sequence first;            // the first promise of the segment; also its name
    std::uint64_t bytes;             // the size of the file
    std::uint32_t previous_crc = 0;  // of the last record before the segment; 0: there is none
    std::uint64_t journal = 0;       // the journal's id; 0: begun before journals had one
};

enum class record_kind : std::uint32_t {
    promises = 1,
    seal,  // no entries: says that everything before it is durable
};

struct record_header {
    std::uint32_t crc = 0;  // over the rest of the record, padding included
    std::uint32_t payload_bytes = 0;
    std::uint32_t count = 0;
    sale::sequence first;      // the first entry; in a seal: the next entry to come
    sale::sequence watermark;  // everything up to here was durable when this was written
    std::uint32_t previous_crc = 0;
    record_kind kind = record_kind::promises;

    sale::sequence next() const { return {first.value + count}; }
};

constexpr std::size_t aligned(std::size_t bytes) {
    return (bytes + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
}
constexpr std::size_t record_bytes(std::size_t payload_bytes) {
    return aligned(record_header_bytes + payload_bytes);
}

void put_segment_header(std::span<std::byte, segment_header_bytes> into,
                        const segment_header& header);
// Empty unless every byte is as it was written.
std::optional<segment_header> read_segment_header(byte_view bytes);

// Fills in the header of a record whose payload and padding are in place and returns its CRC.
// `record` is the whole record.
std::uint32_t put_record_header(std::span<std::byte> record, const record_header& header);

// The fields as they are, unchecked. `bytes` must hold at least a header.
record_header peek_record_header(byte_view bytes);

// The record at the beginning of `bytes`. Empty unless it is whole, every byte is as it was written
// and its entries fill it exactly.
std::optional<record_header> read_record(byte_view bytes);

// Every record has this marker after its checksum. Bytes without it are no record.
inline constexpr std::size_t record_marker_offset = 4;
inline constexpr std::uint32_t record_marker = 0x31524746;  // "FGR1"

}  // namespace floodgate::journal
