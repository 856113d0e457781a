#include "api/admin_desk.hpp"

#include "guard/addresses.hpp"

namespace floodgate::api {

shop::actor admin_of(const call& c) {
    return {.who = c.user, .address = guard::prefix_text(c.client)};
}

ledger::audit_line line_for(const call& c, const shop::act& done) {
    shop::act signed_act = done;
    if (c.key != 0) signed_act.after["api_key"] = subject_of("key", c.key) + ": " + c.key_name;
    return shop::line_for({c.user, guard::prefix_text(c.client), c.now}, signed_act);
}

reply created(const std::string& path, const boost::json::object& body) {
    reply r = json_reply(201, body);
    r.headers = "Location: " + path + "\r\n";
    return r;
}

}  // namespace floodgate::api
