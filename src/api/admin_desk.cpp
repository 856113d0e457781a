#include "api/admin_desk.hpp"

namespace floodgate::api {

void audit(services& with, const call& c, const shop::act& done) {
    shop::write_audit(with.ledger.audit(), {c.user, c.now}, done);
}

reply created(const std::string& path, const boost::json::object& body) {
    reply r = json_reply(201, body);
    r.headers = "Location: " + path + "\r\n";
    return r;
}

}  // namespace floodgate::api
