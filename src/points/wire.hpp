// What the points service and its client say to each other: JSON over HTTP, one path for each call
// of the port.
//
//   POST /v1/try_spend {"order_no":"123","user":7,"amount":30,"now_ms":1800000000000} 200
//   {"answer":"reserved","state":"open"} 409 {"error":"already_exists"}
//
// Order numbers are text, because not every reader of JSON keeps 63 bits. An error is a word of
// errc, and each word has one status, so a client can tell the service from a stranger's answer.

#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "points/accounts.hpp"

namespace floodgate::points {

namespace path {
inline constexpr const char* try_spend = "/v1/try_spend";
inline constexpr const char* try_earn = "/v1/try_earn";
inline constexpr const char* confirm = "/v1/confirm";
inline constexpr const char* cancel = "/v1/cancel";
inline constexpr const char* give_back = "/v1/give_back";
inline constexpr const char* grant = "/v1/grant";
inline constexpr const char* state_of = "/v1/state_of";
inline constexpr const char* balance_of = "/v1/balance_of";
inline constexpr const char* history = "/v1/history";
inline constexpr const char* open_tries = "/v1/open_tries";
}  // namespace path

inline constexpr std::size_t secret_bytes_min = 32;
inline constexpr std::size_t secret_bytes_max = 256;
inline constexpr std::size_t request_bytes_max = 8192;  // more than any call within limits needs

struct error_form {
    errc code;
    std::string_view word;
    unsigned status;
};
const error_form& form_of(const boost::system::error_code& e);
const error_form* find_error(std::string_view word);  // null: no word of errc

// Values of answers.
boost::json::object to_json(const try_outcome& o);
boost::json::object to_json(const std::optional<try_state>& s);
boost::json::object to_json(const balance& b);
boost::json::object to_json(const std::vector<log_line>& lines);
boost::json::object to_json(const std::vector<open_try>& tries);

// Reads one JSON object, field by field. The first fault counts, and after it every read gives an
// empty value. Text that is no UTF-8, deep nesting, wrong types and fractions are faults.
class field_reader {
public:
    explicit field_reader(std::string_view text);
    explicit field_reader(const boost::json::value& from);

    std::string text(std::string_view name);
    std::int64_t integer(std::string_view name);
    sale::order_no order(std::string_view name);
    points::kind kind(std::string_view name);
    try_answer answer(std::string_view name);
    // null: there is none. The field itself must be there.
    std::optional<try_state> optional_state(std::string_view name);
    std::optional<sale::order_no> optional_order(std::string_view name);
    bool is_true(std::string_view name);
    points::event event(std::string_view name);
    points::balance balance(std::string_view name);
    const boost::json::array& list(std::string_view name);

    void blame(std::string_view name, std::string_view why);
    // A fault if there is a field that was not read until now.
    void refuse_unknown();
    bool is_good() const { return fault_.empty(); }
    const std::string& fault() const { return fault_; }  // one sentence; empty: there is none

private:
    const boost::json::value* find(std::string_view name);  // null: absent
    bool is_null(std::string_view name);

    boost::json::object object_;
    std::set<std::string, std::less<>> asked_;
    std::string fault_;
};

// Of answers; empty if they are not what the functions above write.
std::optional<try_outcome> read_outcome(field_reader& from);
std::optional<balance> read_balance(field_reader& from);
std::optional<std::vector<log_line>> read_lines(field_reader& from);
std::optional<std::vector<open_try>> read_tries(field_reader& from);

}  // namespace floodgate::points
