#include "api/admin_desk.hpp"

#include "api/json_body.hpp"

namespace floodgate::api {

void audit(services& with, const call& c, const shop::act& done) {
    shop::write_audit(with.ledger.audit(), {c.user, c.now}, done);
}

std::optional<reply> refusal_of_body(const call& c) {
    json_body body(c.body);
    if (const auto fault = body.finish()) return refuse(*fault, c.language);
    return std::nullopt;
}

reply created(const std::string& path, const boost::json::object& body) {
    reply r = json_reply(201, body);
    r.headers = "Location: " + path + "\r\n";
    return r;
}

}  // namespace floodgate::api
