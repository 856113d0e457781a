#include "sale/answer.hpp"

#include <cstdlib>

namespace floodgate::sale {

const char* to_text(answer a) {
    switch (a) {
    case answer::repeated: return "repeated";
    case answer::key_reused: return "key_reused";
    case answer::unknown_sale: return "unknown_sale";
    case answer::paused: return "paused";
    case answer::not_started: return "not_started";
    case answer::ended: return "ended";
    case answer::over_limit: return "over_limit";
    case answer::already_ordered: return "already_ordered";
    case answer::cooling_down: return "cooling_down";
    case answer::sold_out: return "sold_out";
    case answer::not_enough: return "not_enough";
    case answer::accepted: return "accepted";
    case answer::busy: return "busy";
    case answer::undecided: return "undecided";
    }
    std::abort();  // A value outside the enum is a bug, not an input.
}

}  // namespace floodgate::sale
