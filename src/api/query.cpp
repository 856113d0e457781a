#include "api/query.hpp"

#include <fmt/format.h>

#include <charconv>

namespace floodgate::api {

std::optional<std::int64_t> query_number(const call& c, std::string_view name, bounds allowed,
                                         std::int64_t fallback) {
    const auto text = query_value(c, name);
    if (!text) return fallback;
    std::int64_t value = 0;
    const char* end = text->data() + text->size();
    const auto [stop, error] = std::from_chars(text->data(), end, value);
    if (error != std::errc() || stop != end) return std::nullopt;
    if (value < allowed.min || value > allowed.max) return std::nullopt;
    return value;
}

reply bad_query(const call& c, std::string_view name, bounds allowed) {
    return problem_reply(problem::bad_request, c.language,
                         {{"detail", fmt::format("{} must be a whole number from {} to {}", name,
                                                 allowed.min, allowed.max)},
                          {"field", name}});
}

}  // namespace floodgate::api
