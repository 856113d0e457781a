// What a call of WeChat Pay's API answers, before it is signed.

#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

#include "sandbox/json_fields.hpp"

namespace floodgate::sandbox {

struct wechat_reply {
    int status = 200;
    boost::json::object body;  // not sent with 204
};

// {"code": ..., "message": ...}
wechat_reply wechat_failure(int status, std::string_view code, std::string_view message);
// 400 PARAM_ERROR, with the field in `detail`.
wechat_reply parameter_failure(const field_fault& fault);
wechat_reply parameter_failure(std::string_view location, std::string_view field,
                               std::string_view issue);

}  // namespace floodgate::sandbox
