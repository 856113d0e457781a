// Calls WeChat Pay's API v3: signs a request, sends it, verifies what comes back.

#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "pay/call_log.hpp"
#include "pay/wechat_text.hpp"

namespace floodgate::store {
class http_caller;
}

namespace floodgate::pay {

struct wechat_account {
    wechat_signer merchant;
    std::string base;         // without a slash at its end
    keys_by_serial platform;  // not empty
};

struct wechat_answer {
    // False: no answer (status 0), or none that the platform has signed. Only status and trouble
    // are set then.
    bool known = false;
    int status = 0;
    std::string code;  // of an error, without underscores: pages and servers spell it both ways
    boost::json::object body;
    std::string trouble{};  // not known: why, in a few words

    bool is(int wanted) const { return known && status == wanted; }
};

class wechat_client {
public:
    wechat_client(wechat_account who, store::http_caller& by, const floodgate::clock& clock)
        : who_(std::move(who)), by_(by), clock_(clock) {}

    const wechat_account& who() const { return who_; }

    // `target` is the path with the query; `asked` is the word for the journal
    // (call_recording.hpp). Both block. Any thread.
    wechat_answer get(std::string_view asked, const std::string& target) {
        return noted(asked, "GET", target, "");
    }
    wechat_answer post(std::string_view asked, const std::string& target,
                       const boost::json::object& body);

private:
    wechat_answer noted(std::string_view asked, const std::string& verb, const std::string& target,
                        const std::string& body);
    wechat_answer call(const std::string& verb, const std::string& target, const std::string& body);

    const wechat_account who_;
    store::http_caller& by_;
    const floodgate::clock& clock_;
    call_log log_{"wechat"};
};

}  // namespace floodgate::pay
