// For commands and start-up: turns a failure into an exception, which main prints as one line.

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
