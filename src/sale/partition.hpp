// How a cluster splits its sales: into a fixed number of partitions, each with a gate, a line of
// promises and one clerk of its own.
//
// All keys of a partition carry the same hash tag, so that one script may touch them together on
// one node of a Redis Cluster: "fg:{3}:line".
//
// A partition's promises are numbered 1, 2, 3 ... within an epoch. An epoch begins whenever the
// partition is rebuilt from the ledger; the ledger gives out epochs, and they only grow. Epoch and
// number together are a place in the line, which only grows as well. The ledger remembers up to
// which place it has entered the promises.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sale/promise.hpp"

namespace floodgate::sale {

inline constexpr std::uint32_t partitions_max = 256;

struct partition {
    std::uint32_t number = 0;
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads the generated comparison
    friend auto operator<=>(const partition&, const partition&) = default;
};

constexpr partition partition_of(sale_id sale, std::uint32_t partitions) {
    return {static_cast<std::uint32_t>(static_cast<std::uint64_t>(sale.value) % partitions)};
}

// epoch * 2^40 + number within the epoch.
struct line_place {
    std::uint64_t epoch = 0, number = 0;
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads the generated comparison
    friend auto operator<=>(const line_place&, const line_place&) = default;
};
constexpr sequence to_sequence(line_place at) { return {at.epoch << 40U | at.number}; }
constexpr line_place to_place(sequence s) {
    return {s.value >> 40U, s.value & ((std::uint64_t{1} << 40U) - 1)};
}

// "fg:{3}:line" for the cluster name "fg" and the key `what` "line".
std::string key_of(std::string_view name, partition p, std::string_view what);

// An entry of a partition's stream: the promises one script call made. Its id is EPOCH-N where N is
// the number of its last promise; its one field `p` holds the encoded promises, in order.
inline constexpr std::string_view entry_field = "p";
std::string entry_id(line_place last);  // "7-1042"
std::optional<line_place> parse_entry_id(std::string_view id);
std::string encode_entry(std::span<const promise> promises);
// Empty unless `bytes` are a whole number of valid promises.
std::optional<std::vector<promise>> decode_entry(std::string_view bytes);

}  // namespace floodgate::sale
