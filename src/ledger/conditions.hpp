// The conditions of a list that is filtered: those that were asked for, with their values.

#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "store/sql/sql.hpp"

namespace floodgate::ledger {

// The texts of the conditions come from the program, the values from outside are bound.
class conditions {
public:
    void add(std::string_view sql, std::int64_t value) { add_any(sql, value); }
    void add(std::string_view sql, std::string value) { add_any(sql, std::move(value)); }

    // `sql`, "WHERE a AND b" and `end`, with all values bound; the places of `end` come last.
    store::row_cursor ask(store::connection& c, std::string_view sql, std::string_view end,
                          std::int64_t last) const {
        std::string text(sql);
        text.append(where_).append(end);
        store::row_cursor rows(c.cached(text));
        int place = 0;
        for (const value& v : values_)
            std::visit([&](const auto& one) { store::bind_value(rows.asked(), ++place, one); }, v);
        store::bind_value(rows.asked(), ++place, last);
        return rows;
    }

private:
    using value = std::variant<std::int64_t, std::string>;

    void add_any(std::string_view sql, value v) {
        where_.append(where_.empty() ? " WHERE " : " AND ").append(sql);
        values_.push_back(std::move(v));
    }

    std::string where_;
    std::vector<value> values_;
};

// A pattern for LIKE ... ESCAPE '!' that finds the text anywhere.
std::string anywhere(std::string_view text);

}  // namespace floodgate::ledger
