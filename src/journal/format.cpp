#include "journal/format.hpp"

#include <algorithm>
#include <cassert>

#include "journal/crc32c.hpp"

namespace floodgate::journal {
namespace {

constexpr std::uint64_t segment_magic = 0x4c414e52554f4a46;  // "FJOURNAL"
constexpr std::uint32_t format_version = 1;
constexpr std::size_t segment_crc_offset = segment_header_bytes - 4;
constexpr std::uint64_t sequence_max = UINT64_MAX >> 1U;  // sums of sequences cannot overflow

// True when the entry lengths lead exactly to the end.
bool entries_fill(byte_view payload, std::uint32_t count) {
    for (; count > 0; --count) {
        if (payload.size() < entry_header_bytes) return false;
        const std::byte* at = payload.data();
        const std::size_t bytes = entry_header_bytes + take<std::uint16_t>(at);
        if (payload.size() < bytes) return false;
        payload = payload.subspan(bytes);
    }
    return payload.empty();
}

bool sensible(const record_header& header) {
    if (header.first.value == 0 || header.first.value > sequence_max) return false;
    if (header.watermark >= header.first) return false;
    const bool empty = header.count == 0 && header.payload_bytes == 0;
    switch (header.kind) {
    case record_kind::promises: return header.count > 0 && header.payload_bytes > 0;
    case record_kind::seal: return empty;
    }
    return false;
}

}  // namespace

void put_segment_header(std::span<std::byte, segment_header_bytes> into,
                        const segment_header& header) {
    std::ranges::fill(into, std::byte{0});
    std::byte* at = into.data();
    put(at, segment_magic);
    put(at, format_version);
    put(at, header.previous_crc);
    put(at, header.first.value);
    put(at, header.bytes);
    put(at, header.journal);
    at = into.data() + segment_crc_offset;
    put(at, crc32c(0, into.first<segment_crc_offset>()));
}

std::optional<segment_header> read_segment_header(byte_view bytes) {
    if (bytes.size() < segment_header_bytes) return std::nullopt;
    const std::byte* at = bytes.data();
    if (take<std::uint64_t>(at) != segment_magic) return std::nullopt;
    if (take<std::uint32_t>(at) != format_version) return std::nullopt;
    segment_header header{};
    header.previous_crc = take<std::uint32_t>(at);
    header.first.value = take<std::uint64_t>(at);
    header.bytes = take<std::uint64_t>(at);
    header.journal = take<std::uint64_t>(at);
    at = bytes.data() + segment_crc_offset;
    if (take<std::uint32_t>(at) != crc32c(0, bytes.first(segment_crc_offset))) return std::nullopt;
    if (header.first.value == 0 || header.first.value > sequence_max) return std::nullopt;
    return header;
}

std::uint32_t put_record_header(std::span<std::byte> record, const record_header& header) {
    assert(record.size() == record_bytes(header.payload_bytes));
    std::byte* at = record.data() + record_marker_offset;
    put(at, record_marker);
    put(at, header.payload_bytes);
    put(at, header.count);
    put(at, header.first.value);
    put(at, header.watermark.value);
    put(at, header.previous_crc);
    put(at, static_cast<std::uint32_t>(header.kind));
    assert(at == record.data() + record_header_bytes);
    const std::uint32_t crc = crc32c(0, record.subspan(record_marker_offset));
    at = record.data();
    put(at, crc);
    return crc;
}

record_header peek_record_header(byte_view bytes) {
    assert(bytes.size() >= record_header_bytes);
    const std::byte* at = bytes.data();
    record_header header;
    header.crc = take<std::uint32_t>(at);
    at += sizeof record_marker;
    header.payload_bytes = take<std::uint32_t>(at);
    header.count = take<std::uint32_t>(at);
    header.first.value = take<std::uint64_t>(at);
    header.watermark.value = take<std::uint64_t>(at);
    header.previous_crc = take<std::uint32_t>(at);
    header.kind = static_cast<record_kind>(take<std::uint32_t>(at));
    return header;
}

std::optional<record_header> read_record(byte_view bytes) {
    if (bytes.size() < record_header_bytes) return std::nullopt;
    const std::byte* at = bytes.data() + record_marker_offset;
    if (take<std::uint32_t>(at) != record_marker) return std::nullopt;
    const record_header header = peek_record_header(bytes);
    if (!sensible(header) || header.payload_bytes > record_bytes_max) return std::nullopt;
    const std::size_t size = record_bytes(header.payload_bytes);
    if (size > record_bytes_max || size > bytes.size()) return std::nullopt;
    if (!entries_fill(bytes.subspan(record_header_bytes, header.payload_bytes), header.count))
        return std::nullopt;
    if (crc32c(0, bytes.first(size).subspan(record_marker_offset)) != header.crc)
        return std::nullopt;
    return header;
}

}  // namespace floodgate::journal
