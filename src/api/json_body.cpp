#include "api/json_body.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/json_keys.hpp"
#include "sale/catalogue.hpp"
#include "sale/shown_text.hpp"

namespace floodgate::api {
namespace {

constexpr std::size_t depth_max = 8;
constexpr std::size_t shown_key_bytes_max = 64;
constexpr std::size_t metadata_key_bytes_max = 64;

// A key as the sender wrote it, if it is short enough to be shown back.
std::string shown(std::string_view key) {
    return key.size() <= shown_key_bytes_max ? fmt::format("\"{}\"", key) : "with a long name";
}

// As much of a key as may be shown back, in whole characters.
std::string_view beginning_of(std::string_view key) {
    std::size_t size = std::min(key.size(), shown_key_bytes_max);
    const auto is_inside = [&](std::size_t at) {
        return at < key.size() && (static_cast<unsigned char>(key[at]) & 0xc0U) == 0x80;
    };
    while (size > 0 && is_inside(size)) --size;
    return key.substr(0, size);
}

// C0 and DEL, and C1, which UTF-8 writes as C2 80 to C2 9F.
bool has_control(std::string_view text, bool lines) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        const bool allowed = lines && (c == '\n' || c == '\t');
        if ((c < 0x20 && !allowed) || c == 0x7f) return true;
        if (c == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0)
            return true;
    }
    return false;
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\n") == text.npos; }

std::string_view view(const boost::json::string& s) { return {s.data(), s.size()}; }

}  // namespace

json_body::json_body(std::string_view text) {
    if (!is_blank(text)) read(text);
}

void json_body::read(std::string_view text) {
    boost::json::parse_options options;
    options.max_depth = depth_max;
    boost::system::error_code broken;
    boost::json::value value = boost::json::parse(text, broken, {}, options);
    if (broken) return blame("", "the body is not valid JSON: " + broken.message());
    if (!value.is_object()) return blame("", "the body must be a JSON object");
    if (const auto key = repeated_key(text, depth_max))
        return blame("", fmt::format("the field {} stands there twice", shown(*key)));
    object_ = std::move(value.get_object());
}

void json_body::blame(std::string_view field, std::string detail) {
    if (!fault_) fault_ = body_fault{std::string(field), std::move(detail)};
}

const boost::json::value* json_body::find(std::string_view field) {
    asked_.emplace_back(field);
    return fault_ ? nullptr : object_.if_contains(field);
}

void json_body::check(std::string_view field, std::string_view text, text_rule rule) {
    if (text.size() < rule.min || text.size() > rule.max)
        return blame(field, fmt::format("{} must have {} to {} bytes", field, rule.min, rule.max));
    if (rule.secret) return;
    if (rule.visible && !sale::is_external_id(text))
        return blame(field,
                     fmt::format("{} must have visible ASCII characters only, no blanks", field));
    if (has_control(text, rule.lines))
        return blame(field, fmt::format("{} must not have control characters", field));
    const auto fault = rule.name ? sale::fault_in_name(text) : sale::text_fault::none;
    if (rule.min > 0 && (is_blank(text) || fault == sale::text_fault::blank))
        return blame(field, fmt::format("{} must not be blank", field));
    if (fault != sale::text_fault::none && fault != sale::text_fault::blank)
        blame(field, fmt::format("{} must not have hidden characters", field));
    if (rule.picture && !sale::is_picture_address(text))
        blame(field, fmt::format("{} must be addresses with http:// or https://, or paths that "
                                 "begin with /",
                                 field));
}

std::optional<std::string> json_body::optional_text(std::string_view field, text_rule rule) {
    const boost::json::value* value = find(field);
    if (!value) return std::nullopt;
    if (!value->is_string()) {
        blame(field, fmt::format("{} must be a text", field));
        return std::nullopt;
    }
    check(field, view(value->get_string()), rule);
    return std::string(view(value->get_string()));
}

std::optional<std::int64_t> json_body::optional_integer(std::string_view field, bounds allowed) {
    const boost::json::value* value = find(field);
    if (!value) return std::nullopt;
    // 1.0, 1e3 and numbers that do not fit into 64 bits are doubles here, so they are refused.
    const std::int64_t* number = value->if_int64();
    if (number && *number >= allowed.min && *number <= allowed.max) return *number;
    blame(field,
          fmt::format("{} must be a whole number from {} to {}", field, allowed.min, allowed.max));
    return std::nullopt;
}

std::optional<bool> json_body::optional_boolean(std::string_view field) {
    const boost::json::value* value = find(field);
    if (!value) return std::nullopt;
    if (const bool* yes = value->if_bool()) return *yes;
    blame(field, fmt::format("{} must be true or false", field));
    return std::nullopt;
}

std::optional<std::vector<std::string>> json_body::optional_texts(std::string_view field,
                                                                  list_rule rule) {
    const boost::json::value* value = find(field);
    if (!value) return std::nullopt;
    std::vector<std::string> out;
    if (!value->is_array() || value->get_array().size() > rule.count_max) {
        blame(field, fmt::format("{} must be a list of at most {} texts", field, rule.count_max));
        return std::nullopt;
    }
    for (const boost::json::value& item : value->get_array()) {
        if (!item.is_string()) {
            blame(field, fmt::format("{} must hold texts only", field));
            return std::nullopt;
        }
        check(field, view(item.get_string()), rule.each);
        out.emplace_back(view(item.get_string()));
    }
    return out;
}

std::optional<instant> json_body::optional_time(std::string_view field) {
    const boost::json::value* value = find(field);
    if (!value) return std::nullopt;
    const auto time =
        value->is_string() ? parse_iso(view(value->get_string())) : std::optional<instant>();
    if (!time) blame(field, fmt::format("{} must be a time like 2026-11-15T10:00:00Z", field));
    return time;
}

std::optional<std::string> json_body::optional_external_id(std::string_view field) {
    return optional_text(field, {.min = 1, .max = sale::external_id_bytes_max, .visible = true});
}

std::optional<std::string> json_body::optional_metadata(std::string_view field) {
    const boost::json::value* value = find(field);
    if (!value) return std::nullopt;
    const boost::json::object* object = value->if_object();
    if (!object || object->size() > sale::metadata_keys_max) {
        blame(field, fmt::format("{} must be an object with at most {} members", field,
                                 sale::metadata_keys_max));
        return std::nullopt;
    }
    for (const auto& member : *object) {
        const std::string_view key(member.key());
        const boost::json::value& v = member.value();
        if (key.empty() || key.size() > metadata_key_bytes_max || has_control(key, false))
            blame(field, fmt::format("the names in {} must have 1 to {} bytes and no control "
                                     "characters",
                                     field, metadata_key_bytes_max));
        if (!v.is_string() && !v.is_number() && !v.is_bool())
            blame(field,
                  fmt::format("the values in {} must be texts, numbers, true or false", field));
    }
    std::string text = object->empty() ? "" : boost::json::serialize(*object);
    if (text.size() > sale::metadata_bytes_max)
        blame(field, fmt::format("{} must have at most {} bytes as JSON", field,
                                 sale::metadata_bytes_max));
    return text;
}

std::optional<std::string> json_body::optional_object(std::string_view field) {
    const boost::json::value* value = find(field);
    if (!value) return std::nullopt;
    if (!value->is_object()) {
        blame(field, fmt::format("{} must be an object", field));
        return std::nullopt;
    }
    return boost::json::serialize(*value);
}

bool json_body::is_text(std::string_view field) const {
    const boost::json::value* value = object_.if_contains(field);
    return value != nullptr && value->is_string();
}

template <class T>
T json_body::required(std::string_view field, std::optional<T> value) {
    if (value) return *std::move(value);
    blame(field, fmt::format("{} is missing", field));
    return T{};
}

std::string json_body::text(std::string_view field, text_rule rule) {
    return required(field, optional_text(field, rule));
}
std::int64_t json_body::integer(std::string_view field, bounds allowed) {
    return required(field, optional_integer(field, allowed));
}
std::vector<std::string> json_body::texts(std::string_view field, list_rule rule) {
    return required(field, optional_texts(field, rule));
}
instant json_body::time(std::string_view field) { return required(field, optional_time(field)); }

void json_body::require(std::initializer_list<std::string_view> fields) {
    for (const std::string_view field : fields)
        if (!object_.contains(field)) blame(field, fmt::format("{} is missing", field));
}

std::optional<body_fault> json_body::finish() {
    for (const auto& member : object_) {
        if (std::ranges::find(asked_, std::string_view(member.key())) != asked_.end()) continue;
        blame(beginning_of(member.key()), fmt::format("there is no field {}", shown(member.key())));
    }
    return fault_;
}

reply refuse(const body_fault& fault, language lang) {
    boost::json::object extra{{"detail", fault.detail}};
    if (!fault.field.empty()) extra["field"] = fault.field;
    return problem_reply(problem::bad_request, lang, std::move(extra));
}

std::optional<reply> refusal_of_body(const call& c) {
    json_body body(c.body);
    if (const auto fault = body.finish()) return refuse(*fault, c.language);
    return std::nullopt;
}

}  // namespace floodgate::api
