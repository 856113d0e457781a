#include "sandbox/json_fields.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "pay/yuan.hpp"

namespace floodgate::sandbox {
namespace {

namespace json = boost::json;

constexpr std::size_t nesting_max = 8;
const json::object no_fields;

bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// A number as it was most likely written: some libraries turn "0.10" into 0.1.
std::optional<std::string> decimal_text(const json::value& v) {
    if (v.is_string()) return std::string(v.get_string());
    if (v.is_int64()) return std::to_string(v.get_int64());
    if (v.is_double()) return fmt::format("{}", v.get_double());
    return std::nullopt;
}

}  // namespace

void json_fields::blame(std::string_view name, std::string why) {
    if (fault_.field.empty()) fault_ = {fmt::format("{}/{}", place_, name), std::move(why)};
}

const boost::json::value* json_fields::find(std::string_view name, need n) {
    asked_.emplace(name);
    const json::value* v = from_->if_contains(name);
    if (v != nullptr && !v->is_null()) return v;
    if (n == need::required) blame(name, "is missing");
    return nullptr;
}

std::string json_fields::text(std::string_view name, need n, text_limits limits) {
    const json::value* v = find(name, n);
    if (v == nullptr) return {};
    if (!v->is_string()) {
        blame(name, "must be a text");
        return {};
    }
    std::string text(v->get_string());
    const std::size_t size = count_characters(text);
    if (size < limits.characters_min || size > limits.characters_max) {
        blame(name, fmt::format("must have {} to {} characters", limits.characters_min,
                                limits.characters_max));
        return {};
    }
    const auto allowed = [&](char c) {
        return is_letter_or_digit(c) || limits.also.find(c) != std::string_view::npos;
    };
    if (limits.also.empty() || std::ranges::all_of(text, allowed)) return text;
    blame(name, fmt::format("must have letters, digits and {} only", limits.also));
    return {};
}

std::int64_t json_fields::integer(std::string_view name, need n, bounds allowed) {
    const json::value* v = find(name, n);
    if (v == nullptr) return 0;
    if (v->is_int64() && v->get_int64() >= allowed.min && v->get_int64() <= allowed.max)
        return v->get_int64();
    blame(name, fmt::format("must be a whole number from {} to {}", allowed.min, allowed.max));
    return 0;
}

sale::fen json_fields::yuan(std::string_view name, need n) {
    const json::value* v = find(name, n);
    if (v == nullptr) return {};
    const auto text = decimal_text(*v);
    const auto amount = text ? pay::parse_yuan(*text) : std::nullopt;
    if (!amount) blame(name, "must be yuan with up to two decimals, more than zero");
    return amount.value_or(sale::fen{});
}

json_fields json_fields::object(std::string_view name, need n) {
    const json::value* v = find(name, n);
    if (v != nullptr && !v->is_object()) blame(name, "must be an object");
    const bool there = v != nullptr && v->is_object();
    return {there ? v->get_object() : no_fields, fault_, fmt::format("{}/{}", place_, name)};
}

void json_fields::refuse_unknown() {
    for (const auto& [name, value] : *from_)
        if (!asked_.contains(std::string_view(name)))
            blame(std::string_view(name).substr(0, 64), "is unknown");
}

std::optional<boost::json::object> parse_object(std::string_view text) {
    json::parse_options options;
    options.max_depth = nesting_max;
    boost::system::error_code broken;
    json::value v = json::parse(text, broken, {}, options);
    if (broken || !v.is_object()) return std::nullopt;
    return std::move(v.get_object());
}

bool has_null(const boost::json::value& v) {
    if (v.is_object())
        return std::ranges::any_of(v.get_object(),
                                   [](const auto& m) { return has_null(m.value()); });
    if (v.is_array()) return std::ranges::any_of(v.get_array(), has_null);
    return v.is_null();
}

std::size_t count_characters(std::string_view utf8) {
    return static_cast<std::size_t>(std::ranges::count_if(
        utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

bool has_four_byte_character(std::string_view utf8) {
    return std::ranges::any_of(utf8, [](char c) { return static_cast<unsigned char>(c) >= 0xF0U; });
}

bool is_web_address(std::string_view url) {
    for (const std::string_view scheme : {"http://", "https://"})
        if (url.starts_with(scheme) && url.size() > scheme.size()) return true;
    return false;
}

bool is_local_address(std::string_view url) {
    const std::size_t slashes = url.find("//");
    if (slashes == std::string_view::npos) return false;
    const std::string_view host = url.substr(slashes + 2);
    return host.starts_with("127.") || host.starts_with("localhost") || host.starts_with("[::1]") ||
           host.starts_with("0.0.0.0");
}

}  // namespace floodgate::sandbox
