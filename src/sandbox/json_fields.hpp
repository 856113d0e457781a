// Reads the fields of a request's JSON as strictly as the channels do. The first fault counts, and
// after it every read gives an empty value.

#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/bounds.hpp"
#include "sale/ids.hpp"

namespace floodgate::sandbox {

struct field_fault {
    std::string field;  // "/amount/total"; empty: there is no fault
    std::string why;
};

enum class need : std::uint8_t { required = 1, optional };

struct text_limits {
    std::size_t characters_min = 1;
    std::size_t characters_max = 0;
    std::string_view also{};  // if not empty: only letters, digits and these
};

class json_fields {
public:
    json_fields(const boost::json::object& from, field_fault& fault, std::string place = "")
        : from_(&from), fault_(fault), place_(std::move(place)) {}

    // Absent or null: empty.
    std::string text(std::string_view name, need n, text_limits limits);
    std::int64_t integer(std::string_view name, need n, bounds allowed);
    // Yuan as text or number.
    sale::fen yuan(std::string_view name, need n);
    json_fields object(std::string_view name, need n);
    void skip(std::string_view name) { asked_.emplace(name); }  // allowed, and of no interest
    // A fault if there is a field that was not read until now.
    void refuse_unknown();
    void blame(std::string_view name, std::string why);

private:
    const boost::json::value* find(std::string_view name, need n);

    const boost::json::object* from_;
    field_fault& fault_;
    std::string place_;
    std::set<std::string, std::less<>> asked_;
};

// Empty if the text is not one JSON object, or nested deeper than 8.
std::optional<boost::json::object> parse_object(std::string_view text);
bool has_null(const boost::json::value& v);

// In a text that is UTF-8.
std::size_t count_characters(std::string_view utf8);
// WeChat Pay stores no characters of four bytes, such as emoji.
bool has_four_byte_character(std::string_view utf8);

bool is_web_address(std::string_view url);    // http:// or https:// and something behind it
bool is_local_address(std::string_view url);  // of this machine, by its usual names

}  // namespace floodgate::sandbox
