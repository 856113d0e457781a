#include "sandbox/trade.hpp"

#include <algorithm>
#include <span>

namespace floodgate::sandbox {
namespace {

struct trade_move {
    trade_state from;
    trade_event event;
    trade_state to;
};

constexpr channel all_channels[] = {channel::alipay, channel::wechat};
constexpr refund_result all_results[] = {refund_result::success, refund_result::closed,
                                         refund_result::abnormal};

constexpr trade_move common_moves[] = {
    {trade_state::waiting, trade_event::pay, trade_state::paid},
    {trade_state::waiting, trade_event::pay_late, trade_state::paid},
    {trade_state::waiting, trade_event::decline, trade_state::waiting},
    {trade_state::waiting, trade_event::close, trade_state::closed},
    {trade_state::waiting, trade_event::expire, trade_state::closed},
    {trade_state::closed, trade_event::pay_late, trade_state::paid},
    {trade_state::paid, trade_event::refund_part, trade_state::paid},
    {trade_state::paid, trade_event::refund_rest, trade_state::refunded},
};
constexpr trade_move alipay_moves[] = {
    {trade_state::asked, trade_event::open, trade_state::waiting},
    // The buyer comes back to the page.
    {trade_state::waiting, trade_event::open, trade_state::waiting},
    {trade_state::paid, trade_event::finish, trade_state::finished},
};

std::optional<trade_state> find_move(std::span<const trade_move> moves, trade_state from,
                                     trade_event event) {
    const auto at = std::ranges::find_if(
        moves, [&](const trade_move& m) { return m.from == from && m.event == event; });
    if (at == moves.end()) return std::nullopt;
    return at->to;
}

template <class Word, class List>
std::optional<Word> parse_word(std::string_view text, const List& all) {
    for (const Word w : all)
        if (text == to_text(w)) return w;
    return std::nullopt;
}

const char* alipay_word(trade_state s) {
    switch (s) {
    case trade_state::asked: return "";
    case trade_state::waiting: return "WAIT_BUYER_PAY";
    case trade_state::paid: return "TRADE_SUCCESS";
    case trade_state::closed:
    case trade_state::refunded: return "TRADE_CLOSED";
    case trade_state::finished: return "TRADE_FINISHED";
    }
    return "";
}

const char* wechat_word(const trade& t) {
    // Any refund shows, also one of a part.
    if (t.refunded().value > 0) return "REFUND";
    if (t.state == trade_state::paid) return "SUCCESS";
    return t.state == trade_state::closed ? "CLOSED" : "NOTPAY";
}

}  // namespace

const char* to_text(channel c) { return c == channel::alipay ? "alipay" : "wechat"; }

std::optional<channel> parse_channel(std::string_view word) {
    return parse_word<channel>(word, all_channels);
}

const char* to_text(trade_state s) {
    switch (s) {
    case trade_state::asked: return "asked";
    case trade_state::waiting: return "waiting";
    case trade_state::paid: return "paid";
    case trade_state::closed: return "closed";
    case trade_state::refunded: return "refunded";
    case trade_state::finished: return "finished";
    }
    return "unknown";
}

std::optional<trade_state> parse_state(std::string_view word) {
    return parse_word<trade_state>(word, all_states);
}

const char* to_text(trade_event e) {
    switch (e) {
    case trade_event::open: return "open";
    case trade_event::pay: return "pay";
    case trade_event::pay_late: return "pay_late";
    case trade_event::decline: return "decline";
    case trade_event::close: return "close";
    case trade_event::expire: return "expire";
    case trade_event::refund_part: return "refund_part";
    case trade_event::refund_rest: return "refund_rest";
    case trade_event::finish: return "finish";
    }
    return "unknown";
}

std::optional<trade_state> advance(channel c, trade_state from, trade_event event) {
    if (const auto to = find_move(common_moves, from, event)) return to;
    return c == channel::alipay ? find_move(alipay_moves, from, event) : std::nullopt;
}

const char* to_text(refund_result r) {
    switch (r) {
    case refund_result::success: return "SUCCESS";
    case refund_result::closed: return "CLOSED";
    case refund_result::abnormal: return "ABNORMAL";
    }
    return "UNKNOWN";
}

std::optional<refund_result> parse_refund_result(std::string_view word) {
    return parse_word<refund_result>(word, all_results);
}

sale::fen trade::refunded() const {
    sale::fen sum;
    for (const refund& r : refunds)
        if (r.result != refund_result::closed) sum.value += r.amount.value;
    return sum;
}

const refund* trade::find_refund(std::string_view request_no) const {
    const auto at = std::ranges::find(refunds, request_no, &refund::request_no);
    return at == refunds.end() ? nullptr : &*at;
}

std::string channel_word(const trade& t) {
    return t.channel == channel::alipay ? alipay_word(t.state) : wechat_word(t);
}

}  // namespace floodgate::sandbox
