#include "api/key_admin.hpp"

#include <boost/json/array.hpp>

#include <sstream>

#include "api/admin_desk.hpp"
#include "api/json_body.hpp"
#include "api/paging.hpp"
#include "base/log.hpp"
#include "guard/access_list.hpp"
#include "guard/tokens.hpp"

namespace floodgate::api {
namespace {

constexpr std::size_t name_bytes_max = 64;

boost::json::array words_of(const std::string& scopes) {
    boost::json::array out;
    std::istringstream words(scopes);
    for (std::string word; words >> word;) out.emplace_back(word);
    return out;
}

boost::json::value moment(instant t) {
    if (to_ms(t) == 0) return nullptr;
    return boost::json::string(to_iso(t));
}

boost::json::object to_json(const ledger::api_key_row& k) {
    return {{"id", k.id},
            {"name", k.name},
            {"scopes", words_of(k.scopes)},
            {"created_at", to_iso(k.created_at)},
            {"created_by", k.created_by.value},
            {"expires_at", moment(k.expires_at)},
            {"last_used_at", moment(k.last_used_at)},
            {"revoked_at", moment(k.revoked_at)}};
}

// Each scope once, in the order of the enum.
std::string scopes_text(const std::vector<std::string>& words, std::optional<body_fault>& fault) {
    guard::api_key key;
    for (const std::string& word : words) {
        const auto known = guard::parse_scope(word);
        if (!known || key.has(*known)) {
            fault = body_fault{"scopes",
                               "scopes must be words among catalogue, orders, logins, payment, "
                               "each at most once"};
            return {};
        }
        key.allow(*known);
    }
    std::string out;
    for (const guard::scope s : guard::all_scopes) {
        if (!key.has(s)) continue;
        if (!out.empty()) out += ' ';
        out += guard::to_text(s);
    }
    if (out.empty()) fault = body_fault{"scopes", "scopes must have one word or more"};
    return out;
}

// Makes this node and the others take over what was changed.
void tell_nodes(services& with) {
    if (const auto read = with.access.reload(); !read)
        log::warning("api.access_not_reloaded", "reason", read.error().message());
    with.node.access_changed();
}

}  // namespace

reply list_keys(services& with, const call& c) {
    constexpr page_rule pages{"keys", "before", 500, 50};
    return page_reply(
        c, pages,
        [&](std::int64_t before, std::size_t count) {
            return with.ledger.keys().list(before, count);
        },
        [](const ledger::api_key_row& k) { return to_json(k); },
        [](const ledger::api_key_row& k) { return k.id; });
}

reply create_key(services& with, const call& c) {
    json_body body(c.body);
    ledger::api_key_row key;
    key.name = body.text("name", {.min = 1, .max = name_bytes_max, .name = true});
    const auto words = body.texts("scopes", {.count_max = 8, .each = {.min = 1, .max = 20}});
    key.expires_at = body.optional_time("expires_at").value_or(from_ms(0));
    auto fault = body.finish();
    if (!fault) key.scopes = scopes_text(words, fault);
    if (fault) return refuse(*fault, c.language);
    if (to_ms(key.expires_at) != 0 && key.expires_at <= c.now)
        return problem_reply(
            problem::invalid, c.language,
            {{"detail", "expires_at must be in the future"}, {"field", "expires_at"}});

    const std::string secret = guard::new_api_key();
    key.secret = guard::hash_of(secret);
    key.created_at = c.now;
    key.created_by = c.user;
    key.last_used_at = key.revoked_at = from_ms(0);
    const auto line = [&](std::int64_t id) {
        return line_for(c, {.action = "key.created",
                            .subject = subject_of("key", id),
                            .after = {{"name", key.name},
                                      {"scopes", words_of(key.scopes)},
                                      {"expires_at", moment(key.expires_at)}}});
    };
    const auto id = with.ledger.keys().add(key, line);
    if (!id && id.error() == make_error_code(errc::conflict))
        return problem_reply(problem::conflict, c.language,
                             {{"detail", "there are too many keys: revoke some first"}});
    if (!id) return failure_reply(id.error(), c.language);
    key.id = *id;
    tell_nodes(with);
    shop::log_act(c.user, "key.created", subject_of("key", *id));
    boost::json::object shown = to_json(key);
    shown["key"] = secret;
    reply r = json_reply(201, shown);
    r.headers = "Cache-Control: no-store\r\n";
    return r;
}

reply revoke_key(services& with, const call& c) {
    if (auto refusal = refusal_of_body(c)) return *std::move(refusal);
    const std::int64_t id = c.ids.at(0);
    const auto known = with.ledger.keys().find(id);
    if (!known) return failure_reply(known.error(), c.language);
    const auto line = line_for(c, {.action = "key.revoked",
                                   .subject = subject_of("key", id),
                                   .before = {{"name", known->name}}});
    const auto revoked = with.ledger.keys().revoke(id, c.now, line);
    if (!revoked) return failure_reply(revoked.error(), c.language);
    tell_nodes(with);
    shop::log_act(c.user, "key.revoked", subject_of("key", id));
    const auto now = with.ledger.keys().find(id);
    if (!now) return failure_reply(now.error(), c.language);
    return json_reply(200, to_json(*now));
}

}  // namespace floodgate::api
