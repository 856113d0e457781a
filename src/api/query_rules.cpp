#include "api/query_rules.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "api/openapi.hpp"

namespace floodgate::api {
namespace {

namespace json = boost::json;

constexpr std::size_t shown_bytes_max = 64;

using rules = std::map<const route*, std::vector<std::string_view>>;

// Follows "#/components/parameters/id".
const json::object& resolved(const json::object& document, const json::object& parameter) {
    const json::value* ref = parameter.if_contains("$ref");
    if (!ref) return parameter;
    const std::string_view name(ref->as_string());
    return document.at("components")
        .at("parameters")
        .at(name.substr(name.rfind('/') + 1))
        .as_object();
}

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

// The document lives as long as the process, because the names are parts of it.
rules read_rules() {
    static const json::value parsed = json::parse(openapi_json());
    const json::object& document = parsed.as_object();
    rules out;
    for (const route& r : routes()) {
        std::vector<std::string_view>& names = out[&r];
        const json::value* path = document.at("paths").as_object().if_contains(r.path);
        if (!path) continue;
        const json::value* operation = path->as_object().if_contains(lower(to_text(r.verb)));
        const json::value* list =
            operation ? operation->as_object().if_contains("parameters") : nullptr;
        if (!list) continue;
        for (const json::value& each : list->as_array()) {
            const json::object& parameter = resolved(document, each.as_object());
            if (parameter.at("in").as_string() == "query")
                names.emplace_back(parameter.at("name").as_string());
        }
    }
    return out;
}

const rules& all_rules() {
    static const rules read = read_rules();
    return read;
}

reply unknown_parameter(std::string_view name, const std::vector<std::string_view>& known,
                        language lang) {
    const std::string_view shown = name.substr(0, shown_bytes_max);
    const bool printable =
        std::ranges::all_of(shown, [](char c) { return c > ' ' && c < 0x7f && c != '"'; });
    const std::string what = printable && !shown.empty()
                                 ? fmt::format("there is no parameter \"{}\"", shown)
                                 : std::string("there is a parameter with an unreadable name");
    json::object extra{
        {"detail", known.empty() ? what + "; this call has none"
                                 : fmt::format("{}; there are {}", what, fmt::join(known, ", "))}};
    if (printable && !shown.empty()) extra["field"] = shown;
    return problem_reply(problem::bad_request, lang, std::move(extra));
}

}  // namespace

std::vector<std::string_view> query_parameters(const route& r) {
    const auto found = all_rules().find(&r);
    return found == all_rules().end() ? std::vector<std::string_view>() : found->second;
}

std::optional<reply> refusal_of_query(const route& r, std::string_view query, language lang) {
    if (query.empty() || r.takes_messages()) return std::nullopt;
    const auto found = all_rules().find(&r);
    if (found == all_rules().end()) return std::nullopt;
    const std::vector<std::string_view>& known = found->second;
    while (!query.empty()) {
        const std::string_view pair = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), pair.size() + 1));
        if (pair.empty()) continue;
        const std::string name = percent_decoded(pair.substr(0, pair.find('=')));
        if (std::ranges::find(known, name) == known.end())
            return unknown_parameter(name, known, lang);
    }
    return std::nullopt;
}

}  // namespace floodgate::api
