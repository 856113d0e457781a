#include "sandbox/html.hpp"

#include <fmt/format.h>

namespace floodgate::sandbox {
namespace {

constexpr std::string_view style =
    "body{font:16px/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "table{border-collapse:collapse;margin:1rem 0}td,th{border:1px solid #ccc;padding:.3rem .6rem;"
    "text-align:left}form{display:inline-block;margin:0 .6rem .6rem 0}button{font:inherit;"
    "padding:.4rem 1.2rem}pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f4f4f4;"
    "padding:1rem}.note{color:#a00}.sandbox{background:#fc6;padding:.2rem .6rem}";

}  // namespace

std::string html_page(std::string_view title, std::string_view content) {
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"zh\"><head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width\"><title>{0}</title>"
        "<style>{1}</style></head><body><p class=\"sandbox\">沙箱，没有真钱 · Sandbox, no real "
        "money"
        "</p><h1>{0}</h1>\n{2}\n</body></html>\n",
        html_escaped(title), style, content);
}

std::string html_button(std::string_view where, std::string_view label) {
    return fmt::format("<form method=\"post\" action=\"{}\"><button>{}</button></form>",
                       html_escaped(where), html_escaped(label));
}

}  // namespace floodgate::sandbox
