#include "sandbox/alipay_gateway.hpp"

#include <fmt/format.h>

#include "pay/alipay_response.hpp"
#include "sandbox/alipay_check.hpp"
#include "sandbox/alipay_methods.hpp"
#include "sandbox/alipay_page.hpp"
#include "sandbox/html.hpp"

namespace floodgate::sandbox {
namespace {

// On every fault of a page method the real gateway shows a page, with HTTP 200.
response fault_page(const alipay_reply& why) {
    return html_answer(
        200, html_page("支付宝沙箱 · Alipay sandbox",
                       fmt::format("<p>{} {}</p><pre>{}</pre>", html_escaped(why.code),
                                   html_escaped(why.sub_code), html_escaped(why.sub_msg))));
}

response text_answer(std::string body) {
    return {200, "application/json;charset=utf-8", std::move(body), {}};
}

response unsigned_answer(const std::string& method, const alipay_reply& reply) {
    const std::string key =
        method.empty() ? std::string("error_response") : pay::alipay_response_key(method);
    return text_answer("{" + fmt::format("\"{}\":{}", key, node_text(reply)) + "}");
}

alipay_reply trouble_reply(trouble_kind kind) {
    if (kind == trouble_kind::unavailable) return {"20000", "isp.unknow-error", "系统繁忙", {}};
    if (kind == trouble_kind::limited) return {"40005", "isv.app-call-limited", "调用频次超限", {}};
    return business_failure("ACQ.SYSTEM_ERROR");
}

// The answer of a JSON method, spoiled if a tester wants it so.
response sealed(const platform& p, const std::string& method, const alipay_reply& reply,
                const std::optional<trouble>& spoiled) {
    const alipay_party& who = *p.who.alipay;
    if (!spoiled || spoiled->kind == trouble_kind::late)
        return text_answer(pay::sign_alipay_response(method, node_text(reply), who.platform));
    switch (spoiled->kind) {
    case trouble_kind::http_500: return {500, "text/html", "Internal Server Error", {}};
    case trouble_kind::rubbish: return {200, "text/html", "<html>busy</html>", {}};
    case trouble_kind::unsigned_reply: return unsigned_answer(method, reply);
    case trouble_kind::wrong_key:
        return text_answer(pay::sign_alipay_response(method, node_text(reply), p.who.stranger));
    default: break;
    }
    const std::string node = node_text(trouble_reply(spoiled->kind));
    return text_answer(pay::sign_alipay_response(method, node, who.platform));
}

response open_page(platform& p, const alipay_request& r, const std::optional<trouble>& spoiled,
                   instant now) {
    ordered_page page;
    if (does_work(spoiled)) page = order_alipay_page(p, r, now);
    if (spoiled && spoiled->kind == trouble_kind::http_500)
        return {500, "text/html", "Internal Server Error", {}};
    const bool late = spoiled && spoiled->kind == trouble_kind::late;
    if (spoiled && !late) return fault_page(trouble_reply(spoiled->kind));
    return page.fault ? fault_page(*page.fault) : redirect("/sandbox/cashier/" + page.code);
}

}  // namespace

response answer_alipay(platform& p, const request& r, instant now) {
    if (r.verb != "GET" && r.verb != "POST") return refusal(405, "use GET or POST");
    const alipay_request checked = check_alipay_request(r, *p.who.alipay);
    const std::string method = checked.value("method");
    if (checked.fault) {
        if (is_alipay_page(method)) return fault_page(*checked.fault);
        const std::string shown = is_alipay_method(method) ? method : std::string();
        if (!checked.may_sign) return unsigned_answer(shown, *checked.fault);
        return sealed(p, method, *checked.fault, std::nullopt);
    }
    const std::optional<trouble> spoiled = p.set.take_trouble(method);
    response out;
    if (is_alipay_page(method)) {
        out = open_page(p, checked, spoiled, now);
    } else {
        alipay_reply reply;
        if (does_work(spoiled)) reply = run_alipay_method(p, method, checked.biz, now);
        out = sealed(p, method, reply, spoiled);
    }
    if (spoiled) out.delay = milliseconds(spoiled->delay_ms);
    return out;
}

}  // namespace floodgate::sandbox
