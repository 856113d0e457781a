// Any text as the query of /rounds: it is refused in an answer that is JSON, or it names a page.
// A cursor has one spelling, and pages put one after the other show every entry once.

#include <boost/json/parse.hpp>

#include <algorithm>
#include <cstdlib>

#include "api/rounds_list.hpp"

namespace {

using namespace floodgate::api;
namespace json = boost::json;

void require(bool holds) {
    if (!holds) std::abort();
}

const rounds_list& shown() {
    static const rounds_list list = [] {
        std::vector<listed_round> rounds;
        for (std::int64_t id = 1; id <= 8; ++id) {
            rounds.push_back({1000 * (id / 2), id, R"({"id":1,"sales":[)", {}});
            for (std::int64_t s = 0; s < id % 4; ++s)
                rounds.back().sales.push_back({10 * id + s, R"({"id":1})"});
        }
        return rounds_list(rounds);
    }();
    return list;
}

// How many entries the pages from here on show.
std::size_t count_from(rounds_window w) {
    for (std::size_t count = 0;;) {
        const json::value page = json::parse(content_of(shown().page(w)));
        std::size_t here = 0;
        for (const json::value& r : page.at("rounds").as_array())
            here += std::max<std::size_t>(r.at("sales").as_array().size(), 1);
        require(here <= w.entries);
        count += here;
        const json::value* next = page.as_object().if_contains("next");
        if (!next) return count;
        const auto place = parse_rounds_cursor(std::string_view(next->as_string()));
        require(place.has_value() && *place > w.after);
        w.after = *place;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    if (const auto cursor = parse_rounds_cursor(text)) require(to_text(*cursor) == text);
    call c;
    c.query = text;
    reply refusal;
    const auto window = read_rounds_window(c, refusal);
    if (!window) {
        require(refusal.status == 400);
        (void)json::parse(refusal.body);
        return 0;
    }
    rounds_window whole = *window;
    whole.entries = 100;
    require(count_from(*window) == count_from(whole));
    return 0;
}
