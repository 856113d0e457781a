#include "points/wire.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <initializer_list>

#include "sale/order_number.hpp"

namespace floodgate::points {
namespace {

namespace json = boost::json;

constexpr std::size_t nesting_max = 4;

constexpr std::array error_forms{
    error_form{errc::not_found, "not_found", 404},
    error_form{errc::already_exists, "already_exists", 409},
    error_form{errc::conflict, "conflict", 409},
    error_form{errc::invalid, "invalid", 400},
    error_form{errc::store_unavailable, "store_unavailable", 503},
    error_form{errc::corrupt, "corrupt", 500},
    error_form{errc::overloaded, "overloaded", 503},
    error_form{errc::rejected, "rejected", 500},
    error_form{errc::fenced, "fenced", 503},
};

const char* word_of(try_answer a) {
    switch (a) {
    case try_answer::reserved: return "reserved";
    case try_answer::not_enough: return "not_enough";
    case try_answer::already: return "already";
    case try_answer::cancelled_before: return "cancelled_before";
    }
    std::abort();  // A value outside the enum is a bug, not an input.
}
const char* word_of(kind k) { return to_text(k); }
const char* word_of(try_state s) { return to_text(s); }

template <class Word>
std::optional<Word> parse_word(std::string_view text, std::initializer_list<Word> all) {
    const auto* found = std::ranges::find_if(all, [&](Word w) { return text == word_of(w); });
    return found == all.end() ? std::nullopt : std::optional(*found);
}

json::value state_or_null(const std::optional<try_state>& s) {
    return s ? json::value(to_text(*s)) : json::value();
}

json::object line_json(const log_line& l) {
    return {{"line", l.line},
            {"event", to_text(l.what)},
            {"order_no", l.order.value == 0 ? json::value() : json::value(sale::to_text(l.order))},
            {"before", to_json(l.before)},
            {"after", to_json(l.after)},
            {"reason", l.reason},
            {"by", l.by.value},
            {"at_ms", to_ms(l.at)}};
}

template <class Item, class Read>
std::optional<std::vector<Item>> read_list(field_reader& from, std::string_view name, Read read) {
    std::vector<Item> all;
    for (const json::value& v : from.list(name)) {
        field_reader fields(v);
        all.push_back(read(fields));
        if (!fields.is_good()) return std::nullopt;
    }
    return from.is_good() ? std::optional(std::move(all)) : std::nullopt;
}

}  // namespace

const error_form& form_of(const boost::system::error_code& e) {
    const auto* found = std::ranges::find_if(
        error_forms, [&](const error_form& f) { return e == make_error_code(f.code); });
    return found == error_forms.end() ? form_of(make_error_code(errc::store_unavailable)) : *found;
}

const error_form* find_error(std::string_view word) {
    const auto* found = std::ranges::find(error_forms, word, &error_form::word);
    return found == error_forms.end() ? nullptr : found;
}

json::object to_json(const try_outcome& o) {
    return {{"answer", word_of(o.answer)}, {"state", state_or_null(o.state)}};
}

json::object to_json(const std::optional<try_state>& s) { return {{"state", state_or_null(s)}}; }

json::object to_json(const balance& b) {
    return {{"available", b.available.value},
            {"reserved", b.reserved.value},
            {"pending", b.pending.value}};
}

json::object to_json(const std::vector<log_line>& lines) {
    json::array all;
    for (const log_line& l : lines) all.push_back(line_json(l));
    return {{"lines", std::move(all)}};
}

json::object to_json(const std::vector<open_try>& tries) {
    json::array all;
    for (const open_try& t : tries)
        all.push_back(json::object{{"order_no", sale::to_text(t.order)},
                                   {"user", t.user.value},
                                   {"amount", t.amount.value},
                                   {"since_ms", to_ms(t.since)}});
    return {{"tries", std::move(all)}};
}

field_reader::field_reader(std::string_view text) {
    json::parse_options options;
    options.max_depth = nesting_max;
    boost::system::error_code broken;
    json::value v = json::parse(text, broken, {}, options);
    if (broken || !v.is_object())
        fault_ = "the body must be one JSON object";
    else
        object_ = std::move(v.get_object());
}

field_reader::field_reader(const json::value& from) {
    if (const json::object* o = from.if_object())
        object_ = *o;
    else
        fault_ = "this must be a JSON object";
}

void field_reader::blame(std::string_view name, std::string_view why) {
    if (fault_.empty()) fault_ = std::string(name) + " " + std::string(why);
}

const json::value* field_reader::find(std::string_view name) {
    asked_.emplace(name);
    return object_.if_contains(name);
}

bool field_reader::is_null(std::string_view name) {
    const json::value* v = find(name);
    return v != nullptr && v->is_null();
}

bool field_reader::is_true(std::string_view name) {
    const json::value* v = find(name);
    return v != nullptr && v->is_bool() && v->get_bool();
}

std::string field_reader::text(std::string_view name) {
    const json::value* v = find(name);
    if (v != nullptr && v->is_string()) return {v->get_string().data(), v->get_string().size()};
    blame(name, "must be text");
    return {};
}

std::int64_t field_reader::integer(std::string_view name) {
    const json::value* v = find(name);
    if (v != nullptr && v->is_int64()) return v->get_int64();
    blame(name, "must be a whole number of 64 bits");
    return 0;
}

sale::order_no field_reader::order(std::string_view name) {
    if (const auto no = sale::parse_order_no(text(name))) return *no;
    blame(name, "must be an order's number as text");
    return {};
}

kind field_reader::kind(std::string_view name) {
    if (const auto k = parse_word(text(name), {points::kind::spend, points::kind::earn})) return *k;
    blame(name, "must be spend or earn");
    return points::kind::spend;
}

try_answer field_reader::answer(std::string_view name) {
    const auto a = parse_word(text(name), {try_answer::reserved, try_answer::not_enough,
                                           try_answer::already, try_answer::cancelled_before});
    if (!a) blame(name, "is unknown");
    return a.value_or(try_answer::not_enough);
}

std::optional<try_state> field_reader::optional_state(std::string_view name) {
    if (is_null(name)) return std::nullopt;
    const auto s =
        parse_word(text(name), {try_state::open, try_state::confirmed, try_state::cancelled});
    if (!s) blame(name, "is unknown");
    return s;
}

std::optional<sale::order_no> field_reader::optional_order(std::string_view name) {
    if (is_null(name)) return std::nullopt;
    return order(name);
}

event field_reader::event(std::string_view name) {
    if (const auto e = parse_event(text(name))) return *e;
    blame(name, "is unknown");
    return event::granted;
}

balance field_reader::balance(std::string_view name) {
    if (const json::value* v = find(name)) {
        field_reader inner(*v);
        if (const auto b = read_balance(inner)) return *b;
    }
    blame(name, "must be a balance");
    return {};
}

const json::array& field_reader::list(std::string_view name) {
    static const json::array none;
    const json::value* v = find(name);
    if (v != nullptr && v->is_array()) return v->get_array();
    blame(name, "must be a list");
    return none;
}

void field_reader::refuse_unknown() {
    for (const auto& field : object_)
        if (!asked_.contains(field.key())) blame(field.key(), "is unknown here");
}

std::optional<try_outcome> read_outcome(field_reader& from) {
    const try_outcome o{from.answer("answer"), from.optional_state("state")};
    return from.is_good() ? std::optional(o) : std::nullopt;
}

std::optional<balance> read_balance(field_reader& from) {
    const balance b{
        {from.integer("available")}, {from.integer("reserved")}, {from.integer("pending")}};
    return from.is_good() ? std::optional(b) : std::nullopt;
}

std::optional<std::vector<log_line>> read_lines(field_reader& from) {
    return read_list<log_line>(from, "lines", [](field_reader& f) {
        return log_line{.line = f.integer("line"),
                        .what = f.event("event"),
                        .order = f.optional_order("order_no").value_or(sale::order_no{}),
                        .before = f.balance("before"),
                        .after = f.balance("after"),
                        .reason = f.text("reason"),
                        .by = {f.integer("by")},
                        .at = from_ms(f.integer("at_ms"))};
    });
}

std::optional<std::vector<open_try>> read_tries(field_reader& from) {
    return read_list<open_try>(from, "tries", [](field_reader& f) {
        return open_try{.order = f.order("order_no"),
                        .user = {f.integer("user")},
                        .amount = {f.integer("amount")},
                        .since = from_ms(f.integer("since_ms"))};
    });
}

}  // namespace floodgate::points
