#include "pay/html_text.hpp"

namespace floodgate::pay {

std::string html_escaped(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        case '\'': out += "&#39;"; break;
        // A browser would turn these into other line ends, and a signature over a value would not
        // fit.
        case '\r': out += "&#13;"; break;
        case '\n': out += "&#10;"; break;
        default: out.push_back(c);
        }
    }
    return out;
}

}  // namespace floodgate::pay
