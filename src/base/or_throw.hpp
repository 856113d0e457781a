// For commands and start-up: a failure that cannot be worked around ends as one clear line.

#pragma once

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "base/result.hpp"

namespace floodgate {

// The value, or std::runtime_error "what: why".
template <class T>
T or_throw(result<T> got, const char* what) {
    if (!got) throw std::runtime_error(std::string(what) + ": " + got.error().message());
    if constexpr (!std::is_void_v<T>) return std::move(got.value());
}

}  // namespace floodgate
