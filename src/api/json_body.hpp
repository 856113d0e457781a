// A request body: one JSON object, read strictly, field by field.
//
//   json_body body(c.body);
//   p.title = body.text("title", {.min = 1, .max = title_bytes_max});
//   p.list_price = {body.integer("list_price_fen", {0, price_fen_max})};
//   if (const auto fault = body.finish()) return refuse(*fault, c.language);
//
// The first fault wins; after it every read gives an empty value. Faults are: broken JSON, bad
// UTF-8, nesting deeper than 8, a repeated key, wrong types, fractions and exponents, values out of
// bounds, missing fields and unknown fields. Each is described in one sentence. An empty body
// counts as {}.

#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/reply.hpp"
#include "base/bounds.hpp"
#include "base/clock.hpp"

namespace floodgate::api {

// In bytes. With a minimum above 0, blanks alone do not count. No control characters, except that
// `lines` allows \n and \t. A `name` and the address of a `picture` are shown to strangers: the
// rules of sale/shown_text.hpp. A `secret` is shown to nobody: only its length counts.
struct text_rule {
    std::size_t min = 0;
    std::size_t max = 0;
    bool lines = false;
    bool name = false;
    bool picture = false;
    bool secret = false;
    bool visible = false;  // visible ASCII characters only: an external id
};

struct list_rule {
    std::size_t count_max = 0;
    text_rule each{};
};

struct body_fault {
    std::string field;   // empty: the body as a whole
    std::string detail;  // one sentence
};

class json_body {
public:
    explicit json_body(std::string_view text);

    std::string text(std::string_view field, text_rule rule);
    std::int64_t integer(std::string_view field, bounds allowed);
    std::vector<std::string> texts(std::string_view field, list_rule rule);
    instant time(std::string_view field);  // see parse_iso

    // A fault if one of these is absent. For fields that a creation needs and a change does not.
    void require(std::initializer_list<std::string_view> fields);

    // Empty when the field is absent. null is not absent: it is a wrong type.
    std::optional<std::string> optional_text(std::string_view field, text_rule rule);
    std::optional<std::int64_t> optional_integer(std::string_view field, bounds allowed);
    std::optional<bool> optional_boolean(std::string_view field);
    std::optional<std::vector<std::string>> optional_texts(std::string_view field, list_rule rule);
    std::optional<instant> optional_time(std::string_view field);
    // A flat object of texts, numbers and booleans, as compact JSON: sale::metadata_bytes_max.
    std::optional<std::string> optional_metadata(std::string_view field);
    std::optional<std::string> optional_external_id(std::string_view field = "external_id");
    // An object in the object, as text, to be read by a json_body of its own.
    std::optional<std::string> optional_object(std::string_view field);
    bool is_text(std::string_view field) const;

    // The first fault. To be called last, because a field that was not read until now is a fault.
    std::optional<body_fault> finish();

private:
    void read(std::string_view text);
    const boost::json::value* find(std::string_view field);
    void blame(std::string_view field, std::string detail);
    void check(std::string_view field, std::string_view text, text_rule rule);

    template <class T>
    T required(std::string_view field, std::optional<T> value);

    boost::json::object object_;
    std::vector<std::string> asked_;
    std::optional<body_fault> fault_;
};

// 400 bad_request with detail and field.
reply refuse(const body_fault& fault, language lang);

// For a call that takes no values. Empty (not refused) when its body is empty or {}.
std::optional<reply> refusal_of_body(const call& c);

}  // namespace floodgate::api
