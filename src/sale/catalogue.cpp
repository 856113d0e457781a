#include "sale/catalogue.hpp"

#include <cstdlib>

namespace floodgate::sale {

const char* to_text(sale_state state) {
    switch (state) {
    case sale_state::draft: return "draft";
    case sale_state::published: return "published";
    case sale_state::paused: return "paused";
    case sale_state::ended: return "ended";
    }
    std::abort();  // A value outside the enum is a bug, not an input.
}

}  // namespace floodgate::sale
