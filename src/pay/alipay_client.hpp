// Calls a JSON method of Alipay's gateway: signs it, sends it, verifies what comes back.

#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "pay/call_log.hpp"
#include "pay/form.hpp"
#include "pay/keys.hpp"

namespace floodgate::store {
class http_caller;
}

namespace floodgate::pay {

struct alipay_account {
    std::string app_id;
    std::string gateway;
    private_key merchant;
    public_key platform;
};

struct alipay_answer {
    // False: no answer, or none that Alipay has signed. Nothing else is set then.
    bool known = false;
    std::string code;      // "10000": it was done
    std::string sub_code;  // "ACQ.TRADE_NOT_EXIST"
    boost::json::object fields;

    bool is_done() const { return known && code == "10000"; }
};

class alipay_client {
public:
    alipay_client(alipay_account who, store::http_caller& by, const floodgate::clock& clock)
        : who_(std::move(who)), by_(by), clock_(clock) {}

    const alipay_account& who() const { return who_; }

    // The parameters that every method needs, not yet signed.
    parameters request(std::string_view method, const boost::json::object& content) const;

    // Blocks. Any thread.
    alipay_answer call(std::string_view method, const boost::json::object& content);

private:
    alipay_answer heard(std::string_view method, std::string_view body);

    const alipay_account who_;
    store::http_caller& by_;
    const floodgate::clock& clock_;
    call_log log_{"alipay"};
};

}  // namespace floodgate::pay
