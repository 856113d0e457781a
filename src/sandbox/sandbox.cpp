#include "sandbox/sandbox.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "sandbox/alipay_gateway.hpp"
#include "sandbox/cashier.hpp"
#include "sandbox/control.hpp"
#include "sandbox/path.hpp"
#include "sandbox/trade_acts.hpp"
#include "sandbox/wechat_gateway.hpp"

namespace floodgate::sandbox {
namespace {

constexpr std::size_t delivered_at_once = 16;

}  // namespace

response gateway::answer(const request& r, instant now) {
    if (r.body.size() > body_bytes_max) return refusal(413, "the body is too long");
    const std::scoped_lock lock(mutex_);
    try {
        close_overdue(platform_, now);
        return route(r, now);
    } catch (const std::exception& e) {
        log::error("sandbox.request_failed", "path", r.path, "why", e.what());
        return refusal(500, "the sandbox failed: see its log");
    }
}

response gateway::route(const request& r, instant now) {
    if (r.path == "/gateway.do") {
        if (!platform_.who.alipay) return refusal(404, "Alipay is not configured");
        return answer_alipay(platform_, r, now);
    }
    if (r.path.starts_with("/v3/")) {
        if (!platform_.who.wechat) return refusal(404, "WeChat Pay is not configured");
        return answer_wechat(platform_, r, now);
    }
    std::vector<std::string> parts = path_parts(r.path);
    if (parts.empty() || parts[0] != "sandbox") return refusal(404, "there is no such call");
    parts.erase(parts.begin());
    if (!parts.empty() && parts.back().empty()) parts.pop_back();  // a slash at the end
    const bool at_cashier = !parts.empty() && (parts[0] == "cashier" || parts[0] == "wechat");
    return at_cashier ? answer_cashier(platform_, r, parts, now)
                      : answer_control(platform_, r, parts, now);
}

std::vector<outgoing> gateway::take_due(instant now) {
    const std::scoped_lock lock(mutex_);
    close_overdue(platform_, now);
    std::vector<outgoing> all;
    for (const notify& n : platform_.notifies.due(now, delivered_at_once)) {
        std::vector<outgoing> one = prepare_try(platform_, n, now);
        // Its channel is no longer configured.
        if (one.empty()) platform_.notifies.settle(n.id, true, 0, platform_.set, now);
        std::ranges::move(one, std::back_inserter(all));
    }
    return all;
}

void gateway::settle(const outgoing& sent, const posted& answer, instant now) {
    const bool taken = is_taken(sent.channel, answer);
    if (sent.id == 0) {
        if (taken) log::warning("sandbox.probe_accepted", "status", answer.status);
        return;
    }
    const std::scoped_lock lock(mutex_);
    platform_.notifies.settle(sent.id, taken, answer.status, platform_.set, now);
}

instant gateway::deliver(poster& by, instant now) {
    for (const outgoing& message : take_due(now))
        settle(message, by.post(message.url, message.headers, message.body), now);
    const std::scoped_lock lock(mutex_);
    return std::min(platform_.notifies.next_due(), platform_.trades.next_deadline());
}

}  // namespace floodgate::sandbox
