#include "sandbox/switches.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "base/bounds.hpp"

namespace floodgate::sandbox {
namespace {

namespace json = boost::json;

constexpr std::int64_t day_ms = 86'400'000;
constexpr std::int64_t calls_max = 1000;
constexpr std::int64_t delay_ms_max = 60'000;

struct trouble_word {
    std::string_view word;
    trouble_kind kind;
};
constexpr trouble_word trouble_words[] = {{"http_500", trouble_kind::http_500},
                                          {"unavailable", trouble_kind::unavailable},
                                          {"system_error", trouble_kind::system_error},
                                          {"limited", trouble_kind::limited},
                                          {"user_paying", trouble_kind::user_paying},
                                          {"rubbish", trouble_kind::rubbish},
                                          {"unsigned", trouble_kind::unsigned_reply},
                                          {"wrong_key", trouble_kind::wrong_key},
                                          {"late", trouble_kind::late}};

// The first fault wins, and its sentence is returned.
using setter = std::function<std::string(switches&, const json::value&)>;
using getter = std::function<json::value(const switches&)>;
struct switch_entry {
    std::string_view name;
    getter get;
    setter set;
};

switch_entry flag(std::string_view name, bool switches::*which) {
    return {name, [which](const switches& s) { return json::value(s.*which); },
            [which](switches& s, const json::value& v) -> std::string {
                if (!v.is_bool()) return "must be true or false";
                s.*which = v.get_bool();
                return {};
            }};
}

std::string read_count(const json::value& v, bounds allowed, std::int64_t& out) {
    if (v.is_int64() && v.get_int64() >= allowed.min && v.get_int64() <= allowed.max) {
        out = v.get_int64();
        return {};
    }
    return fmt::format("must be a whole number from {} to {}", allowed.min, allowed.max);
}

switch_entry count(std::string_view name, std::int64_t switches::*which, bounds allowed) {
    return {name, [which](const switches& s) { return json::value(s.*which); },
            [which, allowed](switches& s, const json::value& v) {
                return read_count(v, allowed, s.*which);
            }};
}

switch_entry span(std::string_view name, milliseconds switches::*which) {
    return {name,
            [which](const switches& s) {
                return json::value(static_cast<std::int64_t>((s.*which).count()));
            },
            [which](switches& s, const json::value& v) {
                std::int64_t ms = (s.*which).count();
                std::string why = read_count(v, {0, day_ms}, ms);
                s.*which = milliseconds(ms);
                return why;
            }};
}

switch_entry choice(std::string_view name, std::string switches::*which,
                    std::vector<std::string> words) {
    return {name, [which](const switches& s) { return json::value(s.*which); },
            [which, words = std::move(words)](switches& s, const json::value& v) -> std::string {
                const std::string wanted(v.is_string() ? v.get_string() : "");
                if (std::ranges::count(words, wanted) == 0)
                    return fmt::format("must be one of {}", fmt::join(words, ", "));
                s.*which = wanted;
                return {};
            }};
}

json::value states_json(const switches& s) {
    json::array all;
    for (const std::string& state : s.alipay_notify_states) all.emplace_back(state);
    return all;
}

std::string read_states(switches& s, const json::value& v) {
    constexpr std::string_view known[] = {"TRADE_SUCCESS", "TRADE_CLOSED", "TRADE_FINISHED"};
    constexpr const char* why = "must be a list of TRADE_SUCCESS, TRADE_CLOSED and TRADE_FINISHED";
    if (!v.is_array()) return why;
    std::set<std::string> states;
    for (const json::value& one : v.get_array()) {
        if (!one.is_string() || std::ranges::count(known, std::string_view(one.get_string())) == 0)
            return why;
        states.emplace(one.get_string());
    }
    s.alipay_notify_states = std::move(states);
    return {};
}

json::value result_json(const switches& s) { return json::value(to_text(s.wechat_refund_ends_as)); }

std::string read_result(switches& s, const json::value& v) {
    const auto result = v.is_string() ? parse_refund_result(v.get_string()) : std::nullopt;
    if (!result) return "must be SUCCESS, CLOSED or ABNORMAL";
    s.wechat_refund_ends_as = *result;
    return {};
}

json::value troubles_json(const switches& s) {
    json::array all;
    for (const trouble& t : s.troubles) {
        const auto* word = std::ranges::find(trouble_words, t.kind, &trouble_word::kind);
        all.push_back(json::object{{"verb", t.verb},
                                   {"kind", word->word},
                                   {"calls", t.calls},
                                   {"delay_ms", t.delay_ms},
                                   {"after_work", t.after_work}});
    }
    return all;
}

std::string read_trouble(const json::value& v, trouble& out) {
    if (!v.is_object()) return "must be a list of objects";
    for (const auto& [name, value] : v.get_object()) {
        if (name == "verb" && value.is_string()) {
            out.verb = value.get_string();
        } else if (name == "kind" && value.is_string()) {
            const auto* word = std::ranges::find(
                trouble_words, std::string_view(value.get_string()), &trouble_word::word);
            if (word == std::end(trouble_words)) return "has an unknown kind";
            out.kind = word->kind;
        } else if (name == "calls") {
            const std::string why = read_count(value, {1, calls_max}, out.calls);
            if (!why.empty()) return "has calls, which " + why;
        } else if (name == "delay_ms") {
            const std::string why = read_count(value, {0, delay_ms_max}, out.delay_ms);
            if (!why.empty()) return "has a delay_ms, which " + why;
        } else if (name == "after_work" && value.is_bool()) {
            out.after_work = value.get_bool();
        } else {
            return fmt::format("has a field \"{}\" that is unknown or of the wrong type",
                               std::string_view(name).substr(0, 32));
        }
    }
    if (std::ranges::count(trouble_verbs, out.verb) == 0) return "has no verb that is known";
    return {};
}

std::string read_troubles(switches& s, const json::value& v) {
    if (!v.is_array() || v.get_array().size() > troubles_max)
        return fmt::format("must be a list of up to {} objects", troubles_max);
    std::vector<trouble> all;
    for (const json::value& one : v.get_array()) {
        std::string why = read_trouble(one, all.emplace_back());
        if (!why.empty()) return why;
    }
    s.troubles = std::move(all);
    return {};
}

const std::vector<switch_entry>& entries() {
    static const std::vector<switch_entry> all{
        span("notify_delay_ms", &switches::notify_delay),
        count("notify_copies", &switches::notify_copies, {1, 5}),
        flag("notify_never", &switches::notify_never),
        flag("notify_out_of_order", &switches::notify_out_of_order),
        count("notify_wrong_key", &switches::notify_wrong_key, {0, calls_max}),
        count("notify_probes", &switches::notify_probes, {0, calls_max}),
        count("retry_divisor", &switches::retry_divisor, {1, 1'000'000}),
        span("alipay_first_retry_ms", &switches::alipay_first_retry),
        {"alipay_notify_states", states_json, read_states},
        flag("alipay_notify_refunds", &switches::alipay_notify_refunds),
        choice("alipay_close_refusal", &switches::alipay_close_refusal,
               {"ACQ.TRADE_STATUS_ERROR", "ACQ.REASON_TRADE_STATUS_INVALID",
                "ACQ.REASON_ILLEGAL_STATUS"}),
        flag("alipay_exists_at_once", &switches::alipay_exists_at_once),
        flag("pay_after_close", &switches::pay_after_close),
        span("alipay_refund_settles_ms", &switches::alipay_refund_settles),
        span("wechat_refund_settles_ms", &switches::wechat_refund_settles),
        {"wechat_refund_ends_as", result_json, read_result},
        flag("wechat_close_unknown_is_fine", &switches::wechat_close_unknown_is_fine),
        span("wechat_expiry_min_ms", &switches::wechat_expiry_min),
        flag("wechat_refuse_local_urls", &switches::wechat_refuse_local_urls),
        flag("wechat_refuse_unknown_fields", &switches::wechat_refuse_unknown_fields),
        choice("wechat_close_refusal", &switches::wechat_close_refusal,
               {"ORDERPAID", "ORDER_PAID", "INVALID_REQUEST", "TRADE_ERROR"}),
        flag("wechat_old_codes", &switches::wechat_old_codes),
        span("wechat_refund_after_ms", &switches::wechat_refund_after),
        span("wechat_refund_gap_ms", &switches::wechat_refund_gap),
        flag("wechat_second_key", &switches::wechat_second_key),
        {"troubles", troubles_json, read_troubles},
    };
    return all;
}

}  // namespace

std::optional<trouble> switches::take_trouble(std::string_view verb) {
    const auto found = std::ranges::find(troubles, verb, &trouble::verb);
    if (found == troubles.end()) return std::nullopt;
    trouble taken = *found;
    if (--found->calls == 0) troubles.erase(found);
    return taken;
}

boost::json::object to_json(const switches& s) {
    json::object all;
    for (const switch_entry& e : entries()) all.emplace(e.name, e.get(s));
    return all;
}

std::string change_switches(switches& s, const boost::json::object& wanted) {
    switches changed = s;
    for (const auto& [name, value] : wanted) {
        const auto e = std::ranges::find(entries(), std::string_view(name), &switch_entry::name);
        if (e == entries().end())
            return fmt::format("there is no switch \"{}\"", std::string_view(name).substr(0, 64));
        std::string why = e->set(changed, value);
        if (!why.empty()) return fmt::format("{} {}", e->name, why);
    }
    s = std::move(changed);
    return {};
}

}  // namespace floodgate::sandbox
