#include "pay/channel.hpp"

#include <algorithm>

#include "sale/order_number.hpp"

namespace floodgate::pay {

const char* to_text(trade t) {
    switch (t) {
    case trade::absent: return "absent";
    case trade::open: return "open";
    case trade::paid: return "paid";
    case trade::closed: return "closed";
    case trade::unsure: return "unsure";
    }
    return "?";
}

const char* to_note(refund_answer a) {
    switch (a) {
    case refund_answer::done: return "";
    case refund_answer::under_way: return "the channel has not finished the refund";
    case refund_answer::abnormal:
        return "ABNORMAL: the refund cannot reach the buyer; see the channel's console";
    case refund_answer::closed:
        return "CLOSED: the channel has given the refund up; see the channel's console";
    case refund_answer::unsure: break;
    }
    return "no clear answer";
}

std::string trade_number(const sale::order& o) { return sale::to_text(o.no); }

refund_request whole_refund(const sale::order& o, std::string number) {
    return {std::move(number), o.amount, o.amount_points};
}

trade missing_trade(const sale::order& o, instant now) {
    return now - absence_margin > o.pay_by ? trade::absent : trade::open;
}

result<std::optional<refusal>> channel::refuses(const sale::order& o) {
    if (o.amount.value > 0) return std::nullopt;
    return std::optional(refusal::no_price);
}

message channel::read(const raw_message&, instant) { return {.fault = "not_expected"}; }
message_answer channel::answer(bool) const { return {.status = 404}; }

channel* channels::find(std::string_view method) const {
    const auto found =
        std::ranges::find_if(all_, [&](const auto& c) { return c->method() == method; });
    return found == all_.end() ? nullptr : found->get();
}

}  // namespace floodgate::pay
