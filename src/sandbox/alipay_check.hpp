// The checks that Alipay's gateway makes on every request, before it looks at biz_content.

#pragma once

#include <optional>
#include <string>

#include "base/clock.hpp"
#include "pay/form.hpp"
#include "sandbox/alipay_reply.hpp"
#include "sandbox/call.hpp"
#include "sandbox/parties.hpp"

namespace floodgate::sandbox {

struct alipay_request {
    pay::parameters all;  // of query and body together
    boost::json::object biz;
    std::optional<alipay_reply> fault;
    // False: the app is unknown, so there is nobody to sign for.
    bool may_sign = false;

    std::string value(std::string_view name) const;  // empty: absent
};

// Checked in this order: parameters that occur twice, method, app_id, sign_type, sign, charset,
// format, version, timestamp, addresses, signature, biz_content.
alipay_request check_alipay_request(const request& r, const alipay_party& who);

bool is_alipay_method(std::string_view method);
bool is_alipay_page(std::string_view method);  // answers a page instead of JSON

}  // namespace floodgate::sandbox
