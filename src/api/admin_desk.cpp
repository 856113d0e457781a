#include "api/admin_desk.hpp"

#include <boost/json/serialize.hpp>

#include "base/log.hpp"

namespace floodgate::api {

void audit(services& with, const call& c, const act& done) {
    const boost::json::object details{{"before", done.before}, {"after", done.after}};
    const ledger::audit_line line{.id = 0,
                                  .at = c.now,
                                  .who = c.user,
                                  .action = done.action,
                                  .subject = done.subject,
                                  .details = boost::json::serialize(details)};
    log::info("edge.admin_acted", "who", c.user.value, "action", done.action, "subject",
              done.subject);
    if (const auto added = with.ledger.audit().add(line); !added) {
        log::error("edge.audit_failed", "action", done.action, "subject", done.subject, "reason",
                   added.error().message());
    }
}

result<sale::sale> find_sale(services& with, sale::sale_id id) {
    const auto sales = with.ledger.catalogue().sales();
    if (!sales) return sales.error();
    for (const sale::sale& s : *sales)
        if (s.id == id) return s;
    return make_error_code(errc::not_found);
}

void show(services& with) { with.node.catalogue_changed(); }

result<void> tell_gate(services& with, const sale::sale& s) {
    if (s.state == sale::sale_state::draft) return {};
    return with.turnstile.warm_up(s);
}

result<void> tell_gate_of_change(services& with, sale::sale_id id) {
    const auto s = find_sale(with, id);
    if (!s) return s.error();
    return tell_gate(with, *s);
}

std::string subject_of(const char* kind, std::int64_t id) {
    return std::string(kind) + " " + std::to_string(id);
}

reply created(const std::string& path, const boost::json::object& body) {
    reply r = json_reply(201, body);
    r.headers = "Location: " + path + "\r\n";
    return r;
}

}  // namespace floodgate::api
