#include "gate/take_call.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace floodgate::gate {
namespace {

using sale::answer;

bool take_order(std::string_view& from, sale::order_no& out) {
    if (from.size() < sizeof out.value) return false;
    std::memcpy(&out.value, from.data(), sizeof out.value);
    from.remove_prefix(sizeof out.value);
    return true;
}

bool take_number(std::string_view& from, std::int64_t& out) {
    const char* end = from.data() + from.size();
    const auto [stop, error] = std::from_chars(from.data(), end, out);
    if (error != std::errc() || stop == end || *stop != schema::number_end) return false;
    from.remove_prefix(static_cast<std::size_t>(stop - from.data()) + 1);
    return true;
}

bool take_instant(std::string_view& from, instant& out) {
    std::int64_t ms = 0;
    if (!take_number(from, ms)) return false;
    out = from_ms(ms);
    return true;
}

bool take_verdict(std::string_view& from, const waiting_attempt& a, sale::verdict& v) {
    if (from.empty()) return false;
    const auto told = schema::answer_of(from.front());
    if (!told) return false;
    from.remove_prefix(1);
    v.reply_to = a.what.reply_to;
    v.what = *told;
    switch (v.what) {
    case answer::repeated: v.buyer = a.what.buyer; return take_order(from, v.order);
    case answer::key_reused:
    case answer::already_ordered: return take_order(from, v.order);
    case answer::over_limit:
    case answer::not_enough: return take_number(from, v.units);
    case answer::accepted: v.order = a.order; return true;
    case answer::not_started: return take_instant(from, v.starts_at);
    case answer::cooling_down: return take_instant(from, v.cool_until);
    default: return true;
    }
}

sale::promise to_promise(const waiting_attempt& a) {
    return {.order = a.order,
            .sale = a.what.sale,
            .buyer = a.what.buyer,
            .quantity = a.what.quantity,
            .key = a.what.key};
}

}  // namespace

void take_call::group() {
    const auto sale_of = [](const waiting_attempt& a) { return a.what.sale; };
    if (!std::ranges::is_sorted(attempts, {}, sale_of))
        std::ranges::stable_sort(attempts, {}, sale_of);
}

store::words take_call::words(const gate_keys& keys, const circumstances& with) const {
    store::words key_words, attempt_words, out;
    key_words.add(keys.gate(at));
    key_words.add(keys.line(at));
    for (auto first = attempts.begin(); first != attempts.end();) {
        const sale::sale_id id = first->what.sale;
        const auto last =
            std::find_if(first, attempts.end(), [&](const auto& a) { return a.what.sale != id; });
        const sale_keys of = keys.of(id);
        key_words.add(of.sale);
        key_words.add(of.buyers);
        key_words.add(of.keys);
        key_words.add(of.cooling);
        const std::int64_t quantity = first->what.quantity;
        const bool same =
            std::all_of(first, last, [&](const auto& a) { return a.what.quantity == quantity; });
        attempt_words.add(last - first);
        attempt_words.add(same ? quantity : 0);
        for (; first != last; ++first) attempt_words.add(packed(to_promise(*first)));
    }
    out.add(static_cast<std::int64_t>(key_words.count()));
    out.append(key_words);
    out.add(to_ms(with.now));
    out.add(packed(with.now));
    out.add(static_cast<std::int64_t>(with.backlog_max));
    out.add(resent ? "1" : "0");
    out.add(static_cast<std::int64_t>(with.seen.epoch));
    out.add(static_cast<std::int64_t>(with.seen.number));
    out.append(attempt_words);
    return out;
}

bool take_call::read_verdicts(std::string_view answer, std::vector<sale::verdict>& out) const {
    for (const waiting_attempt& a : attempts) {
        sale::verdict v;
        if (!take_verdict(answer, a, v)) return false;
        out.push_back(v);
    }
    return answer.empty();
}

std::optional<sale::line_place> take_call::read(std::string_view answer,
                                                std::vector<sale::verdict>& out) const {
    const std::size_t before = out.size(), end = answer.find(schema::number_end);
    if (end == std::string_view::npos) return std::nullopt;
    const auto place = sale::parse_entry_id(answer.substr(0, end));
    if (!place) return std::nullopt;
    out.reserve(before + attempts.size());
    if (read_verdicts(answer.substr(end + 1), out)) return place;
    out.resize(before);
    return std::nullopt;
}

}  // namespace floodgate::gate
