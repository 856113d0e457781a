// The rounds with their sales as one finished text. Every page is a part of it.
//
// A page is the text between two entries, and its readers share it. Only the text around that part
// is made for each reader: the beginning, the head of a round that began on the page before, and
// the end.

#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/reply.hpp"
#include "api/rounds_cursor.hpp"
#include "base/bounds.hpp"

namespace floodgate::api {

struct listed_sale {
    std::int64_t id = 0;
    std::string json;
};

struct listed_round {
    std::int64_t starts_at_ms = 0;
    std::int64_t id = 0;
    std::string head;                // as JSON, open in its list of sales: {"id":2,...,"sales":[
    std::vector<listed_sale> sales;  // in order of id
};

// Where a page begins, and how many entries it has. An entry is a sale, or a round without sales.
struct rounds_window {
    rounds_cursor after{.starts_at_ms = std::numeric_limits<std::int64_t>::min()};
    std::size_t entries = 50;
};
inline constexpr bounds rounds_window_entries{1, 100};

// ?after=CURSOR&limit=1..100 (50). Empty: `refusal` says what is wrong with the query.
std::optional<rounds_window> read_rounds_window(const call& c, reply& refusal);

// Never changes once built.
class rounds_list {
public:
    // `rounds` are in order of opening.
    explicit rounds_list(std::span<const listed_round> rounds = {});

    reply page(const rounds_window& w) const;
    // The ETag with its quotes. It is the same for the same page of the same list.
    std::string etag(const rounds_window& w) const;

private:
    // Places in *text_, and in entries_.
    struct placed_round {
        std::size_t from = 0, head_to = 0, to = 0;
        std::size_t first = 0, last = 0;
    };
    struct entry {
        rounds_cursor at;
        std::size_t round = 0;
        std::size_t from = 0, to = 0;
    };
    void place(std::string& text, const listed_round& r);

    std::vector<placed_round> rounds_;
    std::vector<entry> entries_;
    std::shared_ptr<const std::string> text_;
    std::uint64_t hash_ = 0;
};

}  // namespace floodgate::api
