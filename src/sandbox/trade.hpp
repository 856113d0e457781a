// A trade as a channel keeps it, and its life as pure functions.
//
//   Alipay:      asked --open--> waiting --pay--> paid --finish--> finished
//                                   |               +--refund_rest--> refunded
//                                   +--close, expire--> closed
//   WeChat Pay:  waiting --pay--> paid --refund_rest--> refunded
//                   +--close, expire--> closed
//
// An Alipay trade exists for the merchant only after the buyer has opened the cashier. Until then a
// query and a close do not find it, and the saved page can still be paid.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "sale/ids.hpp"

namespace floodgate::sandbox {

enum class channel : std::uint8_t { alipay = 1, wechat };
const char* to_text(channel c);
std::optional<channel> parse_channel(std::string_view word);

enum class trade_state : std::uint8_t {
    asked = 1,  // Alipay only: the page was ordered, but no buyer has opened it
    waiting,
    paid,      // also after refunds of a part
    closed,    // without payment
    refunded,  // all of it
    finished,  // Alipay only: the time for refunds is over
};
inline constexpr trade_state all_states[] = {trade_state::asked,    trade_state::waiting,
                                             trade_state::paid,     trade_state::closed,
                                             trade_state::refunded, trade_state::finished};
const char* to_text(trade_state s);
std::optional<trade_state> parse_state(std::string_view word);

enum class trade_event : std::uint8_t {
    open = 1,     // the buyer opens the cashier
    pay,          // in time
    pay_late,     // after the trade was closed or ran out: only with the switch pay_after_close
    decline,      // the buyer does not pay now; the trade stays as it is
    close,        // by the merchant
    expire,       // by the clock
    refund_part,  // afterwards there is money left to refund
    refund_rest,
    finish,
};
inline constexpr trade_event all_events[] = {
    trade_event::open,        trade_event::pay,         trade_event::pay_late,
    trade_event::decline,     trade_event::close,       trade_event::expire,
    trade_event::refund_part, trade_event::refund_rest, trade_event::finish};
const char* to_text(trade_event e);

// The state after the event; empty if it cannot happen in this state.
std::optional<trade_state> advance(channel c, trade_state from, trade_event event);

// What becomes of a refund when it settles. Alipay's always succeed.
enum class refund_result : std::uint8_t { success = 1, closed, abnormal };
const char* to_text(refund_result r);  // "SUCCESS", as WeChat Pay writes it
std::optional<refund_result> parse_refund_result(std::string_view word);

struct refund {
    std::string request_no;  // Alipay's out_request_no, WeChat Pay's out_refund_no
    std::string number;      // the channel's
    sale::fen amount;
    std::string reason;
    std::string notify_url;  // WeChat Pay only
    instant asked_at;
    instant settles_at;  // in progress until then
    refund_result result = refund_result::success;

    bool is_settled(instant now) const { return now >= settles_at; }
};

struct trade {
    sandbox::channel channel = channel::alipay;
    std::string out_trade_no;
    std::string number;  // the channel's own; empty until the trade exists, or, WeChat Pay, is paid
    std::string code;    // the last part of the cashier's address
    sale::fen amount;
    std::string subject;
    std::string body;         // Alipay only
    std::string passback;     // passback_params, attach: given back in messages
    std::string fingerprint;  // what a repeated order must say again
    std::string notify_url;
    std::string return_url;  // Alipay only
    std::string payer;       // empty until a buyer is there
    trade_state state = trade_state::asked;
    instant created_at;
    instant code_expires_at = never;  // the code, not the trade
    instant expires_at = never;       // the last moment to pay
    instant closes_at = never;        // closed by the clock
    std::optional<instant> paid_at;
    std::optional<instant> closed_at;
    std::vector<refund> refunds;

    sale::fen refunded() const;  // without the refunds that were closed
    const refund* find_refund(std::string_view request_no) const;
};

// "WAIT_BUYER_PAY", "NOTPAY": the state in the words of the channel. Empty for an Alipay trade that
// no buyer has opened.
std::string channel_word(const trade& t);

}  // namespace floodgate::sandbox
