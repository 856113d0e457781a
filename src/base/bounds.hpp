// The least and the greatest value that an option or a field may have.

#pragma once

#include <cstdint>

namespace floodgate {

struct bounds {
    std::int64_t min;
    std::int64_t max;
};

}  // namespace floodgate
