#include "shop/audit_trail.hpp"

#include <boost/json/serialize.hpp>

#include <span>
#include <utility>

#include "base/cut_text.hpp"
#include "base/hex.hpp"
#include "base/log.hpp"
#include "guard/tokens.hpp"

namespace floodgate::shop {
namespace {

namespace json = boost::json;

// MariaDB keeps up to 65,535 bytes of details, and a page of the audit shows many lines. The
// largest act changes twenty pictures of 500 bytes each; longer texts are not kept whole.
constexpr std::size_t text_bytes_max = 500;
constexpr std::size_t beginning_bytes_max = 100;
constexpr std::size_t entries_max = 50;  // of a list, such as what a repair has done

void shorten(json::value& value) {
    if (json::array* const list = value.if_array()) {
        if (list->size() > entries_max) {
            const std::size_t more = list->size() - entries_max;
            list->resize(entries_max);
            list->push_back(json::value("and " + std::to_string(more) + " more"));
        }
        for (json::value& each : *list) shorten(each);
    }
    const json::string* const text = value.if_string();
    if (text == nullptr || text->size() <= text_bytes_max) return;
    const std::string_view all(text->data(), text->size());
    const auto hash = guard::hash_of(all);
    value = json::object{{"begins", cut_text(all, beginning_bytes_max)},
                         {"bytes", all.size()},
                         {"blake2b", to_hex(std::as_bytes(std::span(hash)))}};
}

// What did not change is in the book, or in the line of an earlier act. The id stays, to read it
// by.
void drop_unchanged(json::object& before, json::object& after) {
    for (auto at = before.begin(); at != before.end();) {
        const auto other = after.find(at->key());
        if (at->key() != "id" && other != after.end() && other->value() == at->value()) {
            after.stable_erase(other);
            at = before.stable_erase(at);
        } else {
            ++at;
        }
    }
}

}  // namespace

ledger::audit_line line_for(const signature& by, const act& done) {
    json::object before = done.before, after = done.after;
    drop_unchanged(before, after);
    for (json::object* const side : {&before, &after})
        for (auto& field : *side) shorten(field.value());
    json::object details{{"before", std::move(before)}, {"after", std::move(after)}};
    if (!done.why.empty()) details["why"] = done.why;
    return {.id = 0,
            .at = by.at,
            .who = by.who,
            .action = done.action,
            .subject = done.subject,
            .details = json::serialize(details),
            .address = by.address};
}

void log_act(sale::user_id who, const std::string& action, const std::string& subject) {
    log::info("shop.acted", "who", who.value, "action", action, "subject", subject);
}

std::string subject_of(const char* kind, std::int64_t id) {
    return std::string(kind) + " " + std::to_string(id);
}

}  // namespace floodgate::shop
