// tagged<T, Tag>: a T that cannot be mistaken for another T.

#pragma once

#include <compare>
#include <cstddef>
#include <functional>

namespace floodgate {

template <class T, class Tag>
struct tagged {
    T value{};

    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads the generated comparison
    friend auto operator<=>(const tagged&, const tagged&) = default;
};

// boost::unordered containers find this by its name. They mix the bits themselves.
template <class T, class Tag>
std::size_t hash_value(const tagged<T, Tag>& id) noexcept {
    return std::hash<T>{}(id.value);
}

}  // namespace floodgate

template <class T, class Tag>
struct std::hash<floodgate::tagged<T, Tag>> {
    std::size_t operator()(const floodgate::tagged<T, Tag>& id) const noexcept {
        return std::hash<T>{}(id.value);
    }
};
