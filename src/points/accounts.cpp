#include "points/accounts.hpp"

#include <cstdlib>

namespace floodgate::points {
namespace {

// What one point does to each part of a balance.
struct effect {
    int available = 0, reserved = 0, pending = 0;
};

effect effect_of(event e) {
    switch (e) {
    case event::spend_tried: return {.available = -1, .reserved = +1};
    case event::spend_confirmed: return {.reserved = -1};
    case event::spend_cancelled: return {.available = +1, .reserved = -1};
    case event::given_back: return {.available = +1};
    case event::earn_tried: return {.pending = +1};
    case event::earn_confirmed: return {.available = +1, .pending = -1};
    case event::earn_cancelled: return {.pending = -1};
    case event::granted: return {.available = +1};
    }
    std::abort();  // A value outside the enum is a bug, not an input.
}

}  // namespace

const char* to_text(kind k) { return k == kind::spend ? "spend" : "earn"; }

const char* to_text(try_state s) {
    switch (s) {
    case try_state::open: return "open";
    case try_state::confirmed: return "confirmed";
    case try_state::cancelled: return "cancelled";
    }
    std::abort();
}

const char* to_text(event e) {
    switch (e) {
    case event::spend_tried: return "spend_tried";
    case event::spend_confirmed: return "spend_confirmed";
    case event::spend_cancelled: return "spend_cancelled";
    case event::given_back: return "given_back";
    case event::earn_tried: return "earn_tried";
    case event::earn_confirmed: return "earn_confirmed";
    case event::earn_cancelled: return "earn_cancelled";
    case event::granted: return "granted";
    }
    std::abort();
}

std::optional<event> parse_event(std::string_view text) {
    for (auto e = event::spend_tried; e <= event::granted;
         e = static_cast<event>(static_cast<int>(e) + 1)) {
        if (text == to_text(e)) return e;
    }
    return std::nullopt;
}

balance after(const balance& before, event e, sale::points amount) {
    const effect each = effect_of(e);
    return {{before.available.value + each.available * amount.value},
            {before.reserved.value + each.reserved * amount.value},
            {before.pending.value + each.pending * amount.value}};
}

}  // namespace floodgate::points
