#include "api/paging.hpp"

#include <limits>

namespace floodgate::api {

std::optional<page_asked> read_page(const call& c, const page_rule& rule, reply& refusal) {
    constexpr bounds starts{1, std::numeric_limits<std::int64_t>::max()};
    const bounds limits{1, rule.limit_max};
    const auto limit = query_number(c, "limit", limits, rule.limit_usual);
    const auto from = query_number(c, rule.cursor, starts, 0);
    if (!limit) {
        refusal = bad_query(c, "limit", limits);
        return std::nullopt;
    }
    if (!from) {
        refusal = bad_query(c, rule.cursor, starts);
        return std::nullopt;
    }
    return page_asked{static_cast<std::size_t>(*limit), *from};
}

}  // namespace floodgate::api
