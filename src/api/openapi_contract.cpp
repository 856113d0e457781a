#include "api/openapi_contract.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cctype>

#include "api/detail_zh.hpp"
#include "api/openapi.hpp"

namespace floodgate::api {
namespace {

namespace json = boost::json;

// Follows a reference such as "#/components/schemas/Sale"; any other object is returned as it is.
const json::object& resolved(const json::object& o) {
    const json::value* ref = o.if_contains("$ref");
    if (!ref) return o;
    std::string_view rest(ref->as_string());
    rest.remove_prefix(2);  // "#/"
    const json::object* at = &openapi_document();
    while (!rest.empty()) {
        const std::string_view step = rest.substr(0, rest.find('/'));
        rest.remove_prefix(std::min(rest.size(), step.size() + 1));
        at = &at->at(step).as_object();
    }
    return *at;
}

bool has_type(const json::value& v, std::string_view type) {
    if (type == "object") return v.is_object();
    if (type == "array") return v.is_array();
    if (type == "string") return v.is_string();
    if (type == "integer") return v.is_int64() || v.is_uint64();
    if (type == "boolean") return v.is_bool();
    return type == "null" && v.is_null();
}

bool has_a_type(const json::value& v, const json::value& types) {
    if (types.is_string()) return has_type(v, types.as_string());
    return std::ranges::any_of(types.as_array(),
                               [&](const json::value& t) { return has_type(v, t.as_string()); });
}

std::string fault_in_members(const json::object& o, const json::object& schema) {
    const json::object* known = nullptr;
    if (const auto* properties = schema.if_contains("properties")) known = &properties->as_object();
    const auto* further = schema.if_contains("additionalProperties");
    const bool closed = further && *further == json::value(false);
    for (const auto& member : o) {
        const json::value* wanted = known ? known->if_contains(member.key()) : nullptr;
        if (!wanted && closed) return "unknown member " + std::string(member.key());
        if (!wanted) continue;
        const std::string fault = schema_fault(member.value(), wanted->as_object());
        if (!fault.empty()) return std::string(member.key()) + ": " + fault;
    }
    if (const auto* required = schema.if_contains("required")) {
        for (const json::value& name : required->as_array())
            if (!o.contains(name.as_string())) return json::serialize(name) + " is missing";
    }
    return "";
}

std::string fault_in_number(std::int64_t n, const json::object& schema) {
    const auto* min = schema.if_contains("minimum");
    const auto* max = schema.if_contains("maximum");
    if (min && n < min->as_int64()) return std::to_string(n) + " is too small";
    if (max && n > max->as_int64()) return std::to_string(n) + " is too large";
    return "";
}

std::string fault_by_combination(const json::value& value, const json::object& schema) {
    if (const auto* all = schema.if_contains("allOf")) {
        for (const json::value& s : all->as_array())
            if (auto fault = schema_fault(value, s.as_object()); !fault.empty()) return fault;
    }
    if (const auto* any = schema.if_contains("anyOf")) {
        std::string fault;
        for (const json::value& s : any->as_array())
            if (fault = schema_fault(value, s.as_object()); fault.empty()) return "";
        return fault;
    }
    return "";
}

// Of NDJSON: the schema describes one line.
std::string fault_in_lines(std::string_view text, const json::object& schema) {
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (auto fault = schema_fault(json::parse(line), schema); !fault.empty()) return fault;
    }
    return "";
}

}  // namespace

const json::object& openapi_document() {
    static const json::value document = json::parse(openapi_json());
    return document.as_object();
}

std::string schema_fault(const json::value& value, const json::object& as_written) {
    const json::object& schema = resolved(as_written);
    const auto* type = schema.if_contains("type");
    if (type && !has_a_type(value, *type)) return "wrong type: " + json::serialize(value);
    const auto* fixed = schema.if_contains("const");
    if (fixed && value != *fixed) return "not " + json::serialize(*fixed);
    if (const auto* list = schema.if_contains("enum")) {
        const json::array& words = list->as_array();
        if (std::ranges::find(words, value) == words.end())
            return "not among the words: " + json::serialize(value);
    }
    if (auto fault = fault_by_combination(value, schema); !fault.empty()) return fault;
    if (value.is_object()) return fault_in_members(value.get_object(), schema);
    if (value.is_int64()) return fault_in_number(value.get_int64(), schema);
    if (value.is_array() && schema.contains("items")) {
        for (const json::value& item : value.get_array()) {
            const auto fault = schema_fault(item, schema.at("items").as_object());
            if (!fault.empty()) return "in the list: " + fault;
        }
    }
    return "";
}

namespace {

// Why the problem's detail is only there in English; empty: it is not.
std::string untranslated(const json::object& problem) {
    const json::value* const found = problem.if_contains("detail");
    if (!found) return "";
    const std::string_view detail = found->as_string();
    const bool is_chinese = std::ranges::any_of(detail, [](char c) { return (c & 0x80) != 0; });
    if (is_chinese || in_chinese(detail)) return "";
    return "detail_zh.cpp has no Chinese for: " + std::string(detail);
}

}  // namespace

std::string breach_of_contract(std::string_view method, std::string_view path, const reply& r) {
    std::string verb(method);
    std::ranges::transform(verb, verb.begin(), [](unsigned char c) { return std::tolower(c); });
    const json::object& operation = openapi_document().at("paths").at(path).at(verb).as_object();
    const json::object& responses = operation.at("responses").as_object();
    const std::string status = std::to_string(r.status);
    const json::value* listed = responses.if_contains(status);
    if (!listed) return "status " + status + " is not described";
    const json::object& response = resolved(listed->as_object());
    const json::value* content = response.if_contains("content");
    if (!content) return r.content_bytes() == 0 ? "" : "a body where none is described";
    const std::string kind = r.content_type.substr(0, r.content_type.find(';'));
    const json::value* described = content->as_object().if_contains(kind);
    if (!described) return "content type " + kind + " is not described";
    if (kind == "text/plain" || kind.starts_with("image/")) return "";
    if (kind == "application/x-ndjson")
        return fault_in_lines(content_of(r), described->at("schema").as_object());
    const json::value body = json::parse(content_of(r));
    if (kind == "application/problem+json")
        if (std::string fault = untranslated(body.as_object()); !fault.empty()) return fault;
    return schema_fault(body, described->at("schema").as_object());
}

}  // namespace floodgate::api
