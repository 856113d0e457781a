// How a message is sent to the merchant, and when it counts as taken.

#pragma once

#include <string>
#include <vector>

#include "sandbox/call.hpp"
#include "sandbox/platform.hpp"

namespace floodgate::sandbox {

struct posted {
    int status = 0;    // 0: there was no answer
    std::string body;  // Alipay's messages are taken only if it is "success"
};

// Sends one message with POST and waits for the answer, for some seconds at most. Merchants in
// trials live on the same machine, so addresses of this machine must be allowed.
class poster {
public:
    virtual ~poster() = default;
    virtual posted post(const std::string& url, const header_list& headers,
                        const std::string& body) = 0;
};

struct outgoing {
    std::int64_t id = 0;  // the schedule's; 0 for a probe, whose answer changes nothing
    sandbox::channel channel = channel::alipay;
    std::string url;
    header_list headers;
    std::string body;
};

// One try of a message, signed; before it a probe if the switches say so. Uses up the switches
// notify_wrong_key and notify_probes.
std::vector<outgoing> prepare_try(platform& p, const notify& n, instant now);

// Alipay: 200 and exactly the seven characters "success". WeChat Pay: 200 or 204.
bool is_taken(channel c, const posted& answer);

}  // namespace floodgate::sandbox
