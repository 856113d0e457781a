#include "pay/json_values.hpp"

#include <boost/json/parse.hpp>

namespace floodgate::pay {
namespace {

namespace json = boost::json;

constexpr std::size_t nesting_max = 16;

}  // namespace

std::optional<json::object> parse_json_object(std::string_view text) {
    json::parse_options options;
    options.max_depth = nesting_max;
    boost::system::error_code broken;
    json::value v = json::parse(text, broken, {}, options);
    if (broken || !v.is_object()) return std::nullopt;
    return std::move(v.get_object());
}

std::string text_in(const json::object& from, std::string_view name) {
    const json::value* v = from.if_contains(name);
    const json::string* text = v == nullptr ? nullptr : v->if_string();
    return text == nullptr ? std::string() : std::string(*text);
}

std::optional<std::int64_t> integer_in(const json::object& from, std::string_view name) {
    const json::value* v = from.if_contains(name);
    const std::int64_t* number = v == nullptr ? nullptr : v->if_int64();
    return number == nullptr ? std::nullopt : std::optional(*number);
}

const json::object& object_in(const json::object& from, std::string_view name) {
    static const json::object none;
    const json::value* v = from.if_contains(name);
    const json::object* object = v == nullptr ? nullptr : v->if_object();
    return object == nullptr ? none : *object;
}

}  // namespace floodgate::pay
