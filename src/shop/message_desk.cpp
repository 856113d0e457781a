#include "shop/message_desk.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/log.hpp"
#include "sale/order_number.hpp"

namespace floodgate::shop {
namespace {

// Genuine, but only the words with which Alipay sends a buyer back.
constexpr std::string_view not_a_notify = "not_a_notify";

constexpr const char* not_entered = "not_entered";
constexpr const char* unknown_refund = "unknown_refund";

// The checks of the channels that come after those of the order and the amount.
bool comes_later(std::string_view fault) {
    return fault == "other_seller" || fault == "other_currency" || fault == not_a_notify ||
           fault == "unknown_status";
}

// Whatever a channel does with the bytes of a stranger, also an exception, is a message. It is not
// logged here: the verdict is, within bounds.
pay::message read(pay::channel& from, const pay::raw_message& raw, instant now) {
    try {
        return from.read(raw, now);
    } catch (const std::exception&) {
        return {.fault = "unreadable"};
    }
}

bool is_amount_of(const pay::refund_news& news, const ledger::refund& ours) {
    return news.is_sum ? news.amount >= ours.price.money : news.amount == ours.price.money;
}

// What was signed, for a later look: the headers are part of it.
std::string whole(const pay::raw_message& m) {
    std::string out;
    if (!m.signature.empty()) {
        const std::array<std::pair<const char*, std::string_view>, 4> headers{
            {{"Timestamp", m.timestamp},
             {"Nonce", m.nonce},
             {"Serial", m.serial},
             {"Signature", m.signature}}};
        for (const auto& [name, value] : headers)
            if (!value.empty())
                out.append(m.header_prefix).append(name).append(": ").append(value).append("\n");
        out += '\n';
    }
    return out.append(m.body);
}

}  // namespace

struct message_desk::judged {
    std::string word;
    bool taken = false;
    bool moved = false;
};

// After those of the channel's own checks that come first.
message_desk::judged message_desk::judge(const pay::message& m, std::string_view method,
                                         instant now) {
    if (m.order.value == 0) return {"unknown_order"};
    const auto order = world_.book.orders().find(m.order);
    if (!order)
        return order.error() == errc::not_found ? judged{"unknown_order"} : judged{not_entered};
    if (m.amount != order->amount) return {"other_amount"};
    if (!m.fault.empty()) return {m.fault};
    if (!m.refund) return judge_trade(m, method);
    if (auto ours = judge_refund(m, method, now)) return *std::move(ours);
    // Somebody refunded it in the channel's console. What it says about the trade is still true.
    judged j = judge_trade(m, method);
    if (!j.taken) return j;
    j.word = unknown_refund;
    log::warning("shop.unknown_refund_noted", "method", method, "order", sale::to_text(m.order),
                 "refund", m.refund->number, "amount_fen", m.refund->amount.value);
    return j;
}

// Empty: the refund is not one of ours.
std::optional<message_desk::judged> message_desk::judge_refund(const pay::message& m,
                                                               std::string_view method,
                                                               instant now) {
    const auto refunds = world_.book.refunds().of(m.order);
    if (!refunds) return judged{not_entered};
    const auto ours = std::ranges::find_if(*refunds, [&](const ledger::refund& r) {
        return r.number == m.refund->number && r.method == method;
    });
    if (ours == refunds->end()) return std::nullopt;
    if (!is_amount_of(*m.refund, *ours)) return judged{"other_amount"};
    if (ours->is_done()) return judged{"repeated", true};
    const bool is_stuck = m.refund->says == pay::refund_answer::abnormal ||
                          m.refund->says == pay::refund_answer::closed;
    const auto due =
        world_.book.moves().ask_now(ours->number, now, is_stuck ? to_note(m.refund->says) : "");
    if (due) return judged{"asked", true};
    return due.error() == errc::not_found ? judged{"repeated", true} : judged{not_entered};
}

message_desk::judged message_desk::judge_trade(const pay::message& m, std::string_view method) {
    if (m.says == pay::trade::open || m.says == pay::trade::unsure) return {"no_news", true};
    const auto entered = world_.checkout.notified(m.order, method, m.says);
    if (!entered) return {not_entered};
    switch (*entered) {
    case checkout_step::done: return {"entered", true, true};
    case checkout_step::under_way: return {"late", true, true};
    case checkout_step::too_late:
    case checkout_step::too_much:
    case checkout_step::no_effect:
    case checkout_step::no_price:
    case checkout_step::not_enough: break;
    }
    return judge_again(m, method);
}

// Nothing moved. Money that is not the order's stays late however often the channel speaks of it:
// the channel must not take it for the order's.
message_desk::judged message_desk::judge_again(const pay::message& m, std::string_view method) {
    if (m.says != pay::trade::paid) return {"repeated", true};
    const auto refunds = world_.book.refunds().of(m.order);
    if (!refunds) return {not_entered};
    const bool goes_back = std::ranges::any_of(
        *refunds, [&](const ledger::refund& r) { return r.is_extra() && r.method == method; });
    return {goes_back ? "late" : "repeated", true};
}

std::optional<message_verdict> message_desk::take(std::string_view method,
                                                  const pay::raw_message& raw, instant now) {
    pay::channel* const channel = world_.channels.find(method);
    if (channel == nullptr || !channel->sends_messages()) return std::nullopt;
    const pay::message m = read(*channel, raw, now);
    const bool names_order = m.fault.empty() || (comes_later(m.fault) && m.order.value != 0);
    const judged j = names_order ? judge(m, method, now) : judged{m.fault};

    // If the journal fails, the verdict stands: what moved is in the ledger.
    (void)world_.book.messages()
        .add({0, now, std::string(method), j.word, m.order, m.channel_no, whole(raw)}, j.moved)
        .has_value();
    const bool ledger_failed = j.word == not_entered;
    if (ledger_failed)
        log::warning("shop.message_not_entered", "method", method, "order", sale::to_text(m.order));
    return message_verdict{.word = j.word,
                           .taken = j.taken,
                           .refused = !j.taken && !ledger_failed,
                           .odd = j.word == unknown_refund,
                           .answer = channel->answer(j.taken)};
}

std::optional<sale::order_no> message_desk::returning(std::string_view method,
                                                      const pay::raw_message& raw, instant now) {
    pay::channel* const channel = world_.channels.find(method);
    if (channel == nullptr || !channel->sends_messages()) return std::nullopt;
    const pay::message m = read(*channel, raw, now);
    const bool is_genuine = m.fault.empty() || m.fault == not_a_notify;
    if (!is_genuine || m.order.value == 0) return std::nullopt;
    return m.order;
}

}  // namespace floodgate::shop
