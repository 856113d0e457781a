// Lists in pages: takes ?limit=20&before=7, gives the items and where the next page starts.

#pragma once

#include <boost/json/array.hpp>

#include <cstdint>
#include <string>
#include <utility>

#include "api/failure.hpp"
#include "api/query.hpp"
#include "sale/order_number.hpp"

namespace floodgate::api {

struct page_rule {
    const char* items;   // the answer's member with the items, such as "orders"
    const char* cursor;  // "before" or "after": the query's member; the answer's is next_before
    std::int64_t limit_max;
    std::int64_t limit_usual;
};

struct page_asked {
    std::size_t limit = 0;
    std::int64_t from = 0;  // 0: the first page
};

// Empty: `refusal` says what is wrong with the query.
std::optional<page_asked> read_page(const call& c, const page_rule& rule, reply& refusal);

// `fetch(from, count)` gives a result<std::vector<Item>>, `show(item)` its JSON, and
// `cursor_of(item)` where the page after this item begins.
template <class Fetch, class Show, class CursorOf>
reply page_reply(const call& c, const page_rule& rule, Fetch fetch, Show show, CursorOf cursor_of) {
    reply refusal;
    const auto asked = read_page(c, rule, refusal);
    if (!asked) return refusal;
    // Fetches one item more than asked for, to know whether there is a next page.
    const auto found = fetch(asked->from, asked->limit + 1);
    if (!found) return failure_reply(found.error(), c.language);
    boost::json::array items;
    boost::json::value next;
    for (const auto& item : *found) {
        if (items.size() < asked->limit)
            items.push_back(show(item));
        else
            next = cursor_of((*found)[asked->limit - 1]);
    }
    return json_reply(200, {{rule.items, std::move(items)},
                            {std::string("next_") + rule.cursor, std::move(next)}});
}

// The same for lists in order of order number: `fetch` never parts what belongs to one order, so a
// page may be a little longer, and `order_of(item)` is where the next page begins.
template <class Fetch, class Show, class OrderOf>
reply page_of_orders(const call& c, const page_rule& rule, Fetch fetch, Show show,
                     OrderOf order_of) {
    reply refusal;
    const auto asked = read_page(c, rule, refusal);
    if (!asked) return refusal;
    const auto found = fetch(asked->from, asked->limit);
    if (!found) return failure_reply(found.error(), c.language);
    boost::json::array items;
    for (const auto& item : *found) items.push_back(show(item));
    boost::json::value next;
    if (found->size() >= asked->limit) next = sale::to_text(order_of(found->back()));
    return json_reply(200, {{rule.items, std::move(items)},
                            {std::string("next_") + rule.cursor, std::move(next)}});
}

}  // namespace floodgate::api
