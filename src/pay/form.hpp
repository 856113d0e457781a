// application/x-www-form-urlencoded: the body of a notify, the query of an address.
//
// api/call reads queries as browsers write them and forgives a lone '%'. Here a signature is
// computed over the values, so what a careful sender would not write is refused.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace floodgate::pay {

// Decoded names and values, in the byte order in which Alipay sorts them.
using parameters = std::map<std::string, std::string, std::less<>>;

struct form_limits {
    std::size_t bytes_max = 65'536;
    std::size_t fields_max = 100;
};

// Why a form was refused. Fields are read from the left, and the first fault counts.
enum class form_verdict : std::uint8_t {
    good = 1,
    too_long,       // more bytes than allowed
    too_many,       // more fields than allowed
    bad_escape,     // a '%' without two hexadecimal digits after it
    without_name,   // "=1"
    repeated_name,  // the same name twice: Alipay calls that a suspected attack
};
const char* to_text(form_verdict v);

struct decoded_form {
    form_verdict verdict = form_verdict::good;
    parameters fields;  // empty unless the form is good
};

// Decodes once. '+' is a blank; a field without '=' has an empty value; empty fields ("a=1&&b=2")
// are skipped.
decoded_form decode_form(std::string_view text, form_limits limits = {});

// Adds the fields of a body to those of a query. False if both have the same name.
[[nodiscard]] bool add_fields(parameters& to, parameters more);

// Encodes everything but letters, digits and "-._~", also blanks as %20: every decoder of forms and
// of addresses understands that.
std::string encode_form(const parameters& fields);
std::string percent_encoded(std::string_view text);

}  // namespace floodgate::pay
