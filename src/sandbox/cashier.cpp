#include "sandbox/cashier.hpp"

#include <fmt/format.h>

#include "pay/beijing_time.hpp"
#include "pay/yuan.hpp"
#include "sandbox/alipay_messages.hpp"
#include "sandbox/html.hpp"
#include "sandbox/trade_acts.hpp"

namespace floodgate::sandbox {
namespace {

std::string cashier_path(const trade& t) { return "/sandbox/cashier/" + t.code; }

const char* cashier_title(const trade& t) {
    return t.channel == channel::alipay ? "支付宝收银台 · Alipay cashier"
                                        : "微信支付收银台 · WeChat Pay cashier";
}

std::string row(std::string_view name, std::string_view value) {
    return fmt::format("<tr><th>{}</th><td>{}</td></tr>", name, html_escaped(value));
}

std::string state_line(const trade& t, instant now) {
    switch (t.state) {
    case trade_state::paid: return "已支付 · paid";
    case trade_state::closed: return "已关闭 · closed";
    case trade_state::refunded: return "已退款 · refunded";
    case trade_state::finished: return "已完结 · finished";
    default: break;
    }
    return now >= t.expires_at ? "已过期 · expired" : "待支付 · waiting for payment";
}

response cashier_page(const platform& p, const trade& t, std::string_view note, instant now) {
    std::string content = "<table>";
    content += row("商品 · item", t.subject);
    content += row("金额 · amount", "¥" + pay::to_yuan(t.amount));
    content += row("商户订单号 · order", t.out_trade_no);
    content += row("支付截止 · pay until", pay::to_beijing_text(t.expires_at));
    content += row("状态 · state", state_line(t, now)) + "</table>";
    if (!note.empty()) content += fmt::format("<p class=\"note\">{}</p>", html_escaped(note));
    const bool open = t.state == trade_state::asked || t.state == trade_state::waiting;
    const std::string path = cashier_path(t);
    if (open || (t.state == trade_state::closed && p.set.pay_after_close))
        content += html_button(path + "/pay", "支付 · Pay");
    if (open) {
        content += html_button(path + "/decline", "拒绝 · Decline");
        content += html_button(path + "/expire", "让它过期 · Let it expire");
    }
    if (t.channel == channel::alipay && t.paid_at && !t.return_url.empty() && p.who.alipay)
        content += fmt::format("<p><a href=\"{}\">返回商户 · Back to the shop</a></p>",
                               html_escaped(alipay_return_address(*p.who.alipay, t, now)));
    response page = html_answer(200, html_page(cashier_title(t), content));
    page.headers.emplace_back("Cache-Control", "no-store");
    return page;
}

response note_page(int status, const char* note) {
    return html_answer(status, html_page("收银台 · Cashier", fmt::format("<p>{}</p>", note)));
}

response act_on(platform& p, const trade& t, const std::string& act, instant now) {
    if (act == "decline") {
        const act_outcome declined = decline_trade(p, t, now);
        return cashier_page(
            p, declined.after,
            declined.done() ? "付款未完成 · The payment was declined." : declined.why, now);
    }
    const act_outcome done = act == "pay" ? pay_trade(p, t, now) : expire_trade(p, t, now);
    if (!done.done()) return cashier_page(p, done.after, done.why, now);
    const bool leads_back = act == "pay" && t.channel == channel::alipay && !t.return_url.empty();
    if (leads_back && p.who.alipay)
        return redirect(alipay_return_address(*p.who.alipay, done.after, now));
    return redirect(cashier_path(t));
}

}  // namespace

response answer_cashier(platform& p, const request& r, const std::vector<std::string>& parts,
                        instant now) {
    const trade* t = parts.size() > 1 ? p.trades.find_code(parts[1]) : nullptr;
    if (t == nullptr || parts.size() > 3)
        return note_page(404, "没有这个订单 · There is no such order here.");
    const bool is_waiting = t->state == trade_state::waiting || t->state == trade_state::asked;
    if (is_waiting && now >= t->code_expires_at)
        return note_page(410, "二维码已失效 · This code has run out. Order it again.");
    if (parts.size() == 3) {
        const std::string& act = parts[2];
        if (r.verb != "POST") return note_page(405, "Use the buttons.");
        if (act != "pay" && act != "decline" && act != "expire")
            return note_page(404, "There is no such button.");
        return act_on(p, *t, act, now);
    }
    if (r.verb != "GET") return note_page(405, "Open this page with GET.");
    if (!is_waiting) return cashier_page(p, *t, "", now);
    const act_outcome opened = open_trade(p, *t, now);
    return cashier_page(p, opened.after, opened.why, now);
}

}  // namespace floodgate::sandbox
