// Every problem with its status, code and titles: the one table.

#include <array>
#include <cstdlib>

#include "api/reply.hpp"

namespace floodgate::api {
namespace {

struct entry {
    problem what;
    int status;
    const char* code;
    const char* title_en;
    const char* title_zh;
};

constexpr std::array<entry, problems> table{{
    {problem::bad_request, 400, "bad_request", "The request is not valid", "请求无效"},
    {problem::unauthenticated, 401, "unauthenticated", "Please log in", "请先登录"},
    {problem::wrong_credentials, 401, "wrong_credentials", "Wrong phone number or password",
     "手机号或密码错误"},
    {problem::bad_signature, 401, "bad_signature",
     "The signature does not fit, or its time is more than five minutes off",
     "签名不符，或时间戳与服务器时间相差超过五分钟"},
    {problem::second_factor_required, 401, "second_factor_required",
     "The code of your second factor is needed", "需要输入两步验证码"},
    {problem::forbidden, 403, "forbidden", "You may not do this", "没有权限"},
    {problem::must_change_password, 403, "must_change_password",
     "Please change your password first", "请先修改密码"},
    {problem::second_factor_missing, 403, "second_factor_missing",
     "Please set up a second factor first", "请先设置两步验证"},
    {problem::account_disabled, 403, "account_disabled", "This account is disabled",
     "该账号已被停用"},
    {problem::not_started, 403, "not_started", "The sale has not started yet", "秒杀尚未开始"},
    {problem::not_found, 404, "not_found", "There is no such thing", "未找到"},
    {problem::unknown_sale, 404, "unknown_sale", "There is no such sale", "秒杀商品不存在"},
    {problem::method_not_allowed, 405, "method_not_allowed", "This method is not allowed here",
     "不支持该请求方法"},
    {problem::request_timeout, 408, "request_timeout", "The request took too long to arrive",
     "请求超时"},
    {problem::sold_out, 409, "sold_out", "Sold out", "已售罄"},
    {problem::already_ordered, 409, "already_ordered", "You have ordered already", "您已下单"},
    {problem::not_enough, 409, "not_enough", "Fewer are left than you ask for", "库存不足"},
    {problem::not_enough_points, 409, "not_enough_points", "You have too few points", "积分不足"},
    {problem::cooling_down, 409, "cooling_down",
     "You gave a unit back: please wait, others go first",
     "您刚刚放弃了名额，请稍候，其他买家优先"},
    {problem::already_exists, 409, "already_exists", "It exists already", "已存在"},
    {problem::conflict, 409, "conflict", "The present state does not allow this",
     "当前状态不允许此操作"},
    {problem::other_amount, 409, "other_amount", "The amount is not that of the order",
     "金额与订单不符"},
    {problem::late_payment, 409, "late_payment",
     "The order takes no payment any more: the money must go back, and a refund message follows",
     "订单已不再收款：款项须退回，随后会收到退款消息"},
    {problem::ended, 410, "ended", "The sale is over", "秒杀已结束"},
    {problem::events_gone, 410, "events_gone", "These events are no longer kept",
     "这些事件已不再保留"},
    {problem::payload_too_large, 413, "payload_too_large", "The request body is too large",
     "请求内容过大"},
    {problem::uri_too_long, 414, "uri_too_long", "The address is too long", "请求地址过长"},
    {problem::unsupported_media_type, 415, "unsupported_media_type",
     "The body must be JSON, sent with Content-Type: application/json",
     "请求内容必须为 JSON（Content-Type: application/json）"},
    {problem::expectation_failed, 417, "expectation_failed",
     "Only 100-continue can be expected here", "仅支持 100-continue"},
    {problem::invalid, 422, "invalid", "The values do not make sense", "参数取值不合理"},
    {problem::key_reused, 422, "key_reused", "The Idempotency-Key was used for another request",
     "幂等键已用于其他请求"},
    {problem::over_limit, 422, "over_limit", "More units than one buyer may have",
     "超过每人限购数量"},
    {problem::paused, 423, "paused", "The sale is paused", "秒杀已暂停"},
    {problem::switched_off, 423, "switched_off", "This is switched off at the moment",
     "此功能已暂时关闭"},
    {problem::upgrade_required, 426, "upgrade_required", "A WebSocket is needed here",
     "此处需要 WebSocket 连接"},
    {problem::too_many_requests, 429, "too_many_requests", "Too many requests, please slow down",
     "请求过于频繁，请稍后再试"},
    {problem::header_too_large, 431, "header_too_large", "The request headers are too large",
     "请求头过大"},
    {problem::internal, 500, "internal", "Something went wrong on our side", "服务器内部错误"},
    {problem::busy, 503, "busy", "Busy, please try again in a moment", "系统繁忙，请稍后再试"},
    {problem::undecided, 503, "undecided",
     "The outcome is not known yet, please ask again in a moment",
     "结果尚未确定，请稍后查询或重试"},
}};

constexpr bool in_order() {
    for (std::size_t i = 0; i < table.size(); ++i)
        if (static_cast<std::size_t>(table[i].what) != i + 1) return false;
    return true;
}
static_assert(in_order(), "one line for every problem, in the order of the enum");

const entry& find(problem p) {
    const auto at = static_cast<std::size_t>(p);
    if (at < 1 || at > table.size()) std::abort();  // A value outside the enum is a bug.
    return table[at - 1];
}

}  // namespace

int status_of(problem p) { return find(p).status; }
const char* code_of(problem p) { return find(p).code; }
const char* title_of(problem p, language lang) {
    return lang == language::zh ? find(p).title_zh : find(p).title_en;
}

}  // namespace floodgate::api
