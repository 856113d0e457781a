#include "sandbox/alipay_reply.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>

namespace floodgate::sandbox {
namespace {

struct code_text {
    std::string_view code;
    std::string_view text;
};

constexpr code_text messages[] = {{"10000", "Success"},
                                  {"20000", "Service Currently Unavailable"},
                                  {"20001", "Insufficient Token Permissions"},
                                  {"40001", "Missing Required Arguments"},
                                  {"40002", "Invalid Arguments"},
                                  {"40004", "Business Failed"},
                                  {"40005", "Call Limited"},
                                  {"40006", "Insufficient Permissions"}};

constexpr code_text sentences[] = {{"ACQ.SYSTEM_ERROR", "系统错误"},
                                   {"ACQ.INVALID_PARAMETER", "参数无效"},
                                   {"ACQ.TRADE_NOT_EXIST", "交易不存在"},
                                   {"ACQ.TRADE_HAS_SUCCESS", "交易已被支付"},
                                   {"ACQ.TRADE_HAS_CLOSE", "交易已经关闭"},
                                   {"ACQ.TRADE_HAS_FINISHED", "交易已完结"},
                                   {"ACQ.TRADE_STATUS_ERROR", "交易状态不合法"},
                                   {"ACQ.REASON_TRADE_STATUS_INVALID", "交易状态异常"},
                                   {"ACQ.REASON_ILLEGAL_STATUS", "交易状态异常"},
                                   {"ACQ.CONTEXT_INCONSISTENT", "交易信息被篡改"},
                                   {"ACQ.TOTAL_FEE_EXCEED", "订单总金额不在允许范围内"},
                                   {"ACQ.REFUND_AMT_NOT_EQUAL_TOTAL", "退款金额超限"},
                                   {"ACQ.REASON_TRADE_REFUND_FEE_ERR", "退款金额无效"},
                                   {"ACQ.DISCORDANT_REPEAT_REQUEST", "请求信息不一致"}};

template <std::size_t N>
std::string_view text_of(const code_text (&all)[N], std::string_view code) {
    const auto* found = std::ranges::find(all, code, &code_text::code);
    return found == std::end(all) ? std::string_view() : found->text;
}

}  // namespace

alipay_reply business_failure(std::string_view sub_code) {
    return business_failure(sub_code, std::string(text_of(sentences, sub_code)));
}

alipay_reply business_failure(std::string_view sub_code, std::string sub_msg) {
    return {"40004", std::string(sub_code), std::move(sub_msg), {}};
}

alipay_reply missing_argument(std::string_view sub_code) {
    return {"40001", std::string(sub_code), "缺少参数", {}};
}

alipay_reply invalid_argument(std::string_view sub_code, std::string sub_msg) {
    return {"40002", std::string(sub_code), std::move(sub_msg), {}};
}

std::string node_text(const alipay_reply& r) {
    boost::json::object node{{"code", r.code}, {"msg", text_of(messages, r.code)}};
    if (!r.sub_code.empty()) {
        node["sub_code"] = r.sub_code;
        node["sub_msg"] = r.sub_msg;
    }
    for (const auto& [name, value] : r.fields) node[name] = value;
    return boost::json::serialize(node);
}

}  // namespace floodgate::sandbox
