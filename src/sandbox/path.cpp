#include "sandbox/path.hpp"

#include <algorithm>

#include "pay/form.hpp"

namespace floodgate::sandbox {

std::vector<std::string> path_parts(std::string_view path) {
    std::vector<std::string> parts;
    while (!path.empty()) {
        path.remove_prefix(1);  // the slash
        const std::string_view part = path.substr(0, path.find('/'));
        path.remove_prefix(part.size());
        const std::string field = "part=" + std::string(part);
        parts.push_back(part.find_first_of("&+") == std::string_view::npos
                            ? query_value(field, "part")
                            : std::string());
    }
    return parts;
}

std::string query_value(std::string_view query, std::string_view name) {
    const pay::decoded_form form = pay::decode_form(query);
    const auto found = form.fields.find(name);
    return found == form.fields.end() ? std::string() : found->second;
}

}  // namespace floodgate::sandbox
