#include "sandbox/wechat_reply.hpp"

namespace floodgate::sandbox {

wechat_reply wechat_failure(int status, std::string_view code, std::string_view message) {
    return {status, {{"code", code}, {"message", message}}};
}

wechat_reply parameter_failure(const field_fault& fault) {
    return parameter_failure("body", fault.field, fault.why);
}

wechat_reply parameter_failure(std::string_view location, std::string_view field,
                               std::string_view issue) {
    wechat_reply r = wechat_failure(400, "PARAM_ERROR", "参数错误");
    r.body["detail"] =
        boost::json::object{{"location", location}, {"field", field}, {"issue", issue}};
    return r;
}

}  // namespace floodgate::sandbox
