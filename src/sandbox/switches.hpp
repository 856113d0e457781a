// The trouble a tester may ask for, and the rules of the channels that are not certain.
//
// GET /sandbox/switches shows them all. POST /sandbox/switches takes a JSON object with those that
// change; an unknown name, a wrong type or a value out of bounds changes nothing.

#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "sandbox/trade.hpp"

namespace floodgate::sandbox {

// How a call fails although, or instead of, doing its work.
enum class trouble_kind : std::uint8_t {
    http_500 = 1,
    unavailable,   // Alipay: code 20000; WeChat Pay: 500 SYSTEM_ERROR
    system_error,  // Alipay: ACQ.SYSTEM_ERROR; WeChat Pay: 500 SYSTEM_ERROR
    limited,       // Alipay: code 40005; WeChat Pay: 429 FREQUENCY_LIMITED
    user_paying,   // WeChat Pay: 202 USER_PAYING; Alipay: as system_error
    rubbish,       // 200 with a body that is no JSON
    unsigned_reply,
    wrong_key,  // signed with a key the merchant does not know
    late,       // the true answer, after the trouble's delay
};

struct trouble {
    std::string verb;  // one of trouble_verbs
    trouble_kind kind = trouble_kind::http_500;
    std::int64_t calls = 1;  // the next so many calls of the verb
    std::int64_t delay_ms = 0;
    bool after_work = true;  // false: the call does nothing
};

// Whether a call still does its work. The true answer cannot come without it.
inline bool does_work(const std::optional<trouble>& t) {
    return !t || t->after_work || t->kind == trouble_kind::late;
}

inline constexpr std::string_view trouble_verbs[] = {"alipay.trade.page.pay",
                                                     "alipay.trade.query",
                                                     "alipay.trade.close",
                                                     "alipay.trade.refund",
                                                     "alipay.trade.fastpay.refund.query",
                                                     "wechat.native",
                                                     "wechat.query",
                                                     "wechat.close",
                                                     "wechat.refund",
                                                     "wechat.refund_query"};

struct switches {
    milliseconds notify_delay{0};
    std::int64_t notify_copies = 1;
    bool notify_never = false;
    // A message waits until the next one of its trade was sent, or for ten seconds.
    bool notify_out_of_order = false;
    std::int64_t notify_wrong_key = 0;  // the next so many messages are signed with a foreign key
    std::int64_t notify_probes = 0;     // so many WeChat messages are preceded by a SIGNTEST probe
    std::int64_t retry_divisor = 1;     // the retry clock runs so many times as fast
    milliseconds alipay_first_retry{240'000};  // some pages say two minutes, some four
    std::set<std::string> alipay_notify_states{"TRADE_SUCCESS"};
    bool alipay_notify_refunds = true;
    std::string alipay_close_refusal = "ACQ.TRADE_STATUS_ERROR";  // of a paid or closed trade
    bool alipay_exists_at_once = false;  // a trade exists before its buyer opens the cashier
    bool pay_after_close = false;
    milliseconds alipay_refund_settles{0};
    milliseconds wechat_refund_settles{1000};
    refund_result wechat_refund_ends_as = refund_result::success;
    bool wechat_close_unknown_is_fine = true;
    milliseconds wechat_expiry_min{60'000};  // a sooner time_expire is raised to it
    bool wechat_refuse_local_urls = false;   // as the real one does
    bool wechat_refuse_unknown_fields = true;
    std::string wechat_close_refusal = "ORDERPAID";  // of a paid trade
    bool wechat_old_codes = false;                   // SYSTEMERROR instead of SYSTEM_ERROR
    milliseconds wechat_refund_after{0};  // sooner after the payment: RESOURCE_NOT_EXISTS
    milliseconds wechat_refund_gap{0};    // sooner after the last refund: FREQUENCY_LIMITED
    bool wechat_second_key = false;       // sign with the second platform key, if there is one
    std::vector<trouble> troubles;

    // The trouble for this call, which is used up by it.
    std::optional<trouble> take_trouble(std::string_view verb);
};

inline constexpr std::size_t troubles_max = 32;

boost::json::object to_json(const switches& s);
// Why nothing was changed; empty if all is well.
std::string change_switches(switches& s, const boost::json::object& wanted);

}  // namespace floodgate::sandbox
