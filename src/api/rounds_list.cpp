#include "api/rounds_list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/fnv.hpp"
#include "api/query.hpp"

namespace floodgate::api {

std::optional<rounds_window> read_rounds_window(const call& c, reply& refusal) {
    rounds_window out;
    const auto limit =
        query_number(c, "limit", rounds_window_entries, static_cast<std::int64_t>(out.entries));
    if (!limit) {
        refusal = bad_query(c, "limit", rounds_window_entries);
        return std::nullopt;
    }
    out.entries = static_cast<std::size_t>(*limit);
    const auto after = query_value(c, "after");
    if (!after) return out;
    const auto place = parse_rounds_cursor(*after);
    if (!place) {
        refusal = problem_reply(
            problem::bad_request, c.language,
            {{"detail", "after must be the `next` of an earlier page"}, {"field", "after"}});
        return std::nullopt;
    }
    out.after = *place;
    return out;
}

rounds_list::rounds_list(std::span<const listed_round> rounds) {
    std::string text;
    for (const listed_round& r : rounds) {
        if (!text.empty()) text += ',';
        place(text, r);
    }
    hash_ = fnv1a(text);
    text_ = std::make_shared<const std::string>(std::move(text));
}

void rounds_list::place(std::string& text, const listed_round& r) {
    placed_round placed{.from = text.size(), .first = entries_.size()};
    text += r.head;
    placed.head_to = text.size();
    for (const listed_sale& s : r.sales) {
        if (text.size() > placed.head_to) text += ',';
        const std::size_t from = text.size();
        text += s.json;
        entries_.push_back({{r.starts_at_ms, r.id, s.id}, rounds_.size(), from, text.size()});
    }
    if (r.sales.empty())
        entries_.push_back({{r.starts_at_ms, r.id, 0}, rounds_.size(), text.size(), text.size()});
    text += "]}";
    placed.to = text.size();
    placed.last = entries_.size() - 1;
    rounds_.push_back(placed);
}

reply rounds_list::page(const rounds_window& w) const {
    const auto begin = std::ranges::upper_bound(entries_, w.after, {}, &entry::at);
    const auto first = static_cast<std::size_t>(begin - entries_.begin());
    const std::size_t end = first + std::min(w.entries, entries_.size() - first);
    reply out{.body = R"({"rounds":[)", .tail = "]"};
    if (first < end) {
        const placed_round& at_first = rounds_[entries_[first].round];
        const placed_round& at_last = rounds_[entries_[end - 1].round];
        std::size_t from = at_first.from, to = at_last.to;
        if (first != at_first.first) {
            out.body.append(*text_, from, at_first.head_to - from);
            from = entries_[first].from;
        }
        if (end - 1 != at_last.last) {
            to = entries_[end - 1].to;
            out.tail = "]}]";
        }
        out.shared = {text_, std::string_view(*text_).substr(from, to - from)};
    }
    if (end < entries_.size())
        out.tail += fmt::format(R"(,"next":"{}")", to_text(entries_[end - 1].at));
    out.tail += '}';
    return out;
}

std::string rounds_list::etag(const rounds_window& w) const {
    const std::uint64_t page = fnv1a(fmt::format("{} {}", to_text(w.after), w.entries));
    return fmt::format("\"{:016x}\"", hash_ ^ page);
}

}  // namespace floodgate::api
