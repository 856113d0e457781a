#include "sandbox/trade_acts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sandbox/alipay_messages.hpp"
#include "sandbox/random_text.hpp"
#include "sandbox/wechat_messages.hpp"

namespace floodgate::sandbox {
namespace {

constexpr std::size_t overdue_batch = 100;

act_outcome refuse_act(trade t, std::string why) { return {std::move(t), std::move(why)}; }

act_outcome refuse_move(trade t, trade_event event) {
    std::string why =
        fmt::format("{} is not possible: the trade is {}", to_text(event), to_text(t.state));
    return refuse_act(std::move(t), std::move(why));
}

// Changes the state only. False if the state does not allow it.
bool step(trade& t, trade_event event) {
    const auto to = advance(t.channel, t.state, event);
    if (to) t.state = *to;
    return to.has_value();
}

void make_exist(trade& t, instant now) {
    if (!t.number.empty()) return;
    t.number = t.channel == channel::alipay ? new_number("", now) : new_number("4200", now);
    t.payer = t.channel == channel::alipay ? "2088" + random_digits(12) : "o" + random_letters(27);
}

// A change of the state that Alipay tells the merchant of only if the switches say so.
void tell_alipay(platform& p, const trade& t, instant now) {
    if (t.channel != channel::alipay || !p.who.alipay) return;
    if (!p.set.alipay_notify_states.contains(channel_word(t))) return;
    p.notifies.add(alipay_notify(*p.who.alipay, t, nullptr, now), p.set, now);
}

bool is_late(const trade& t, instant now) {
    return t.state == trade_state::closed || now >= t.expires_at;
}

// Shared by the merchant's close and the clock's.
act_outcome close_as(platform& p, trade t, trade_event event, instant now) {
    if (!step(t, event)) return refuse_move(std::move(t), event);
    t.closed_at = now;
    p.trades.keep(t);
    tell_alipay(p, t, now);
    return {std::move(t), {}};
}

void tell_of_refund(platform& p, const trade& t, const refund& r, instant now) {
    if (t.channel == channel::wechat) {
        if (p.who.wechat)
            p.notifies.add(wechat_refund_notify(*p.who.wechat, t, r), p.set, r.settles_at);
    } else if (p.who.alipay && p.set.alipay_notify_refunds) {
        p.notifies.add(alipay_notify(*p.who.alipay, t, &r, now), p.set, r.settles_at);
    }
}

}  // namespace

act_outcome open_trade(platform& p, trade t, instant now) {
    if (t.channel == channel::wechat) return {std::move(t), {}};  // exists since it was ordered
    if (t.state == trade_state::asked && is_late(t, now) && !p.set.pay_after_close)
        return refuse_act(std::move(t), "the time to pay is over");
    if (!step(t, trade_event::open)) return refuse_move(std::move(t), trade_event::open);
    make_exist(t, now);
    t.closes_at = t.expires_at;
    p.trades.keep(t);
    return {std::move(t), {}};
}

act_outcome pay_trade(platform& p, trade t, instant now) {
    if (t.state == trade_state::asked) {
        act_outcome opened = open_trade(p, std::move(t), now);
        if (!opened.done()) return opened;
        t = std::move(opened.after);
    }
    const bool late = is_late(t, now);
    if (late && t.state == trade_state::waiting && !p.set.pay_after_close)
        return refuse_act(std::move(t), "the time to pay is over");
    const bool allowed = late && p.set.pay_after_close;
    const trade_event event = allowed ? trade_event::pay_late : trade_event::pay;
    if (!step(t, event)) return refuse_move(std::move(t), event);
    make_exist(t, now);
    t.paid_at = now;
    t.closed_at.reset();
    p.trades.keep(t);
    tell_alipay(p, t, now);
    if (t.channel == channel::wechat && p.who.wechat)
        p.notifies.add(wechat_pay_notify(*p.who.wechat, t, now), p.set, now);
    return {std::move(t), {}};
}

act_outcome decline_trade(platform& p, trade t, instant now) {
    if (t.state == trade_state::asked) {
        act_outcome opened = open_trade(p, std::move(t), now);
        if (!opened.done()) return opened;
        t = std::move(opened.after);
    }
    if (!step(t, trade_event::decline)) return refuse_move(std::move(t), trade_event::decline);
    return {std::move(t), {}};
}

act_outcome expire_trade(platform& p, trade t, instant now) {
    if (t.state != trade_state::asked && t.state != trade_state::waiting)
        return refuse_move(std::move(t), trade_event::expire);
    t.expires_at = std::min(t.expires_at, now);
    if (t.channel == channel::alipay && t.state == trade_state::waiting)
        return close_as(p, std::move(t), trade_event::expire, now);
    p.trades.keep(t);
    return {std::move(t), {}};
}

act_outcome finish_trade(platform& p, trade t, instant now) {
    if (!step(t, trade_event::finish)) return refuse_move(std::move(t), trade_event::finish);
    p.trades.keep(t);
    tell_alipay(p, t, now);
    return {std::move(t), {}};
}

act_outcome close_trade(platform& p, trade t, instant now) {
    return close_as(p, std::move(t), trade_event::close, now);
}

act_outcome refund_trade(platform& p, trade t, refund r, instant now) {
    const bool is_alipay = t.channel == channel::alipay;
    const std::int64_t left = t.amount.value - t.refunded().value;
    if (t.state == trade_state::paid && r.amount.value > left)
        return refuse_act(std::move(t), "more than is left of the payment");
    r.number = is_alipay ? new_number("", now) : new_number("5030", now);
    r.asked_at = now;
    r.settles_at = now + (is_alipay ? p.set.alipay_refund_settles : p.set.wechat_refund_settles);
    r.result = is_alipay ? refund_result::success : p.set.wechat_refund_ends_as;
    const bool is_rest = r.amount.value == left && r.result != refund_result::closed;
    const trade_event event = is_rest ? trade_event::refund_rest : trade_event::refund_part;
    if (!step(t, event)) return refuse_move(std::move(t), event);
    t.refunds.push_back(r);
    p.trades.keep(t);
    tell_of_refund(p, t, r, now);
    return {std::move(t), {}};
}

void close_overdue(platform& p, instant now) {
    while (p.trades.next_deadline() <= now)
        for (trade& t : p.trades.overdue(now, overdue_batch))
            close_as(p, std::move(t), trade_event::expire, now);
}

}  // namespace floodgate::sandbox
