#include "journal/torn.hpp"

#include <algorithm>
#include <array>

namespace floodgate::journal {
namespace {

// Each byte that was being written over a zero is now either zero or the expected byte.
bool is_remnant(byte_view found, byte_view expected) {
    for (std::size_t i = 0; i < found.size(); ++i)
        if (found[i] != std::byte{0} && found[i] != expected[i]) return false;
    return true;
}

}  // namespace

std::size_t used_bytes(byte_view bytes) {
    std::size_t used = bytes.size();
    for (; used >= 8; used -= 8) {
        const std::byte* at = bytes.data() + used - 8;
        if (take<std::uint64_t>(at) != 0) break;
    }
    while (used > 0 && bytes[used - 1] == std::byte{0}) --used;
    return used;
}

std::optional<std::size_t> find_record(byte_view bytes, std::size_t from) {
    for (std::size_t at = aligned(from); at + record_header_bytes <= bytes.size();
         at += alignment_bytes)
        if (read_record(bytes.subspan(at))) return at;
    return std::nullopt;
}

std::optional<std::size_t> judge_remains(byte_view tail, const expected_record& expected) {
    const std::size_t used = used_bytes(tail);
    if (used == 0) return used;
    if (used > record_bytes_max || tail.size() < record_header_bytes) return std::nullopt;

    // The header of an unfinished record is known, except its checksum, size, count and kind.
    const record_header found = peek_record_header(tail);
    record_header header = found;
    header.payload_bytes = 0;
    header.first = expected.first;
    header.watermark = expected.watermark;
    header.previous_crc = expected.previous_crc;
    header.kind = found.kind == record_kind::seal ? record_kind::seal : record_kind::promises;
    std::array<std::byte, record_header_bytes> known{};
    put_record_header(known, header);
    std::copy_n(tail.begin(), 4, known.begin());
    std::copy_n(tail.begin() + 8, 4, known.begin() + 8);
    const byte_view head = tail.first(record_header_bytes);
    if (!is_remnant(head, known)) return std::nullopt;

    // If the header is whole, the size is known too, and nothing may follow the record.
    const bool sized = found.payload_bytes > 0 || found.kind == record_kind::seal;
    if (!sized || !std::ranges::equal(head, known)) return used;
    const std::size_t size = record_bytes(found.payload_bytes);
    if (size > record_bytes_max || size > tail.size() || used > size) return std::nullopt;
    return used;
}

}  // namespace floodgate::journal
