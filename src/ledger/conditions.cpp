#include "ledger/conditions.hpp"

namespace floodgate::ledger {

std::string anywhere(std::string_view text) {
    std::string out = "%";
    for (const char c : text) {
        if (c == '%' || c == '_' || c == '!') out += '!';
        out += c;
    }
    return out += '%';
}

}  // namespace floodgate::ledger
