#include "sale/gate_schema.hpp"

#include <initializer_list>
#include <string_view>

#include "sale/partition.hpp"

namespace floodgate::sale::gate_schema {
namespace {

// "local a, b = 1, 2\n"
class locals {
public:
    void add(std::string_view name, std::string_view value) {
        names_.append(names_.empty() ? "" : ", ").append(name);
        values_.append(values_.empty() ? "" : ", ").append(value);
    }
    void add_text(std::string_view name, std::string_view text) {
        add(name, "'" + std::string(text) + "'");
    }
    void add_number(std::string_view name, std::size_t number) {
        add(name, std::to_string(number));
    }
    // Lua counts bytes from 1, and its ranges include the last byte.
    void add_range(const std::string& name, byte_range r) {
        add_number(name + "_first", r.at + 1);
        add_number(name + "_last", r.end());
    }
    std::string text() const { return "\nlocal " + names_ + " =\n  " + values_ + "\n"; }

private:
    std::string names_, values_;
};

}  // namespace

std::string lua_fields() {
    locals l;
    for (const char* name :
         {field::epoch, field::open, field::seq, field::entered, field::state, field::starts,
          field::ends, field::limit, field::stock, field::price, field::revision, field::given,
          field::returned, field::largest, field::cooling, field::withdrawn_at})
        l.add_text(std::string(name) + "_field", name);
    l.add_text("is_open", is_open);
    l.add_text("is_closed", is_closed);
    return l.text();
}

std::string lua_promise() {
    locals l;
    l.add_number("head_bytes", head_bytes);
    l.add_number("record_bytes", record_bytes);
    l.add_number("order_bytes", order_bytes);
    l.add_number("key_bytes", promise_layout::key.bytes);
    l.add_range("order", promise_layout::order);
    l.add_range("buyer", promise_layout::buyer);
    l.add_range("quantity", promise_layout::quantity);
    return l.text();
}

std::string lua_answers() {
    locals l;
    for (const answer_letter& a : answer_letters)
        l.add_text(std::string("answer_") + to_text(a.what), {&a.letter, 1});
    for (const sale_state s :
         {sale_state::draft, sale_state::published, sale_state::paused, sale_state::ended}) {
        const char digit = digit_of(s);
        l.add_text(std::string("state_") + to_text(s), {&digit, 1});
    }
    l.add_text("number_end", {&number_end, 1});
    l.add_text("went_back", {&went_back, 1});
    l.add_text("entry_field", entry_field);
    return l.text();
}

std::string lua_said() {
    locals l;
    for (const char* word :
         {said::ok, said::absent, said::fenced, said::conflict, said::missing, said::closed})
        l.add_text(std::string("said_") + word, word);
    return l.text();
}

}  // namespace floodgate::sale::gate_schema
