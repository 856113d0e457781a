// A hash map in 64 parts, so that growing never stops the rush. Only one part is rehashed at a
// time, which is 64 times shorter than rehashing one map of a million entries (tens of
// milliseconds).

#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace floodgate::gate {

// Spreads consecutive ids over all bits (the finisher of splitmix64).
inline std::uint64_t mix(std::uint64_t x) {
    x ^= x >> 30U;
    x *= 0xbf58476d1ce4e5b9ULL;
    x ^= x >> 27U;
    x *= 0x94d049bb133111ebULL;
    return x ^ (x >> 31U);
}

// How a key is spread: ids through mix(), 16-byte hashes as they are.
struct spread {
    using is_avalanching = void;

    template <class Id>
    requires requires(const Id& id) { id.value; }
    std::size_t operator()(const Id& id) const noexcept {
        return mix(static_cast<std::uint64_t>(id.value));
    }
    std::size_t operator()(const std::array<std::byte, 16>& hash) const noexcept {
        std::uint64_t first;
        std::memcpy(&first, hash.data(), sizeof first);
        return first;
    }
};

template <class Key, class Value>
class split_map {
public:
    // Null when absent. The pointer is valid until the next insert.
    Value* find(const Key& key) {
        auto& part = part_of(key);
        const auto found = part.find(key);
        return found == part.end() ? nullptr : &found->second;
    }

    const Value* find(const Key& key) const {
        const auto& part = part_of(key);
        const auto found = part.find(key);
        return found == part.end() ? nullptr : &found->second;
    }

    // A new Value{} when absent.
    Value& operator[](const Key& key) { return part_of(key)[key]; }

    void erase(const Key& key) { part_of(key).erase(key); }

    void reserve(std::size_t n) {
        for (auto& part : parts_) part.reserve(n / parts_count + n / (parts_count * 8));
    }

    std::size_t size() const {
        std::size_t n = 0;
        for (const auto& part : parts_) n += part.size();
        return n;
    }

    template <class Visit>
    void for_each(const Visit& visit) const {
        for (const auto& part : parts_)
            for (const auto& [key, value] : part) visit(key, value);
    }

    // The memory of all slots, used or not: a slot and its byte of metadata.
    std::size_t bytes() const {
        std::size_t n = sizeof *this;
        for (const auto& part : parts_)
            n += part.bucket_count() * (sizeof(std::pair<const Key, Value>) + 2);
        return n;
    }

private:
    static constexpr std::size_t parts_count = 64;
    using map = boost::unordered_flat_map<Key, Value, spread>;

    // The map inside a part uses the high bits for its groups and the low byte for its metadata.
    static std::size_t number_of(const Key& key) { return (spread{}(key) >> 20U) % parts_count; }
    map& part_of(const Key& key) { return parts_[number_of(key)]; }
    const map& part_of(const Key& key) const { return parts_[number_of(key)]; }

    std::array<map, parts_count> parts_;
};

}  // namespace floodgate::gate
