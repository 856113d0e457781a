// Logs that the calls of a channel fail, when that begins and when it ends. Any thread.

#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "base/failure_log.hpp"

namespace floodgate::pay {

class call_log {
public:
    // "alipay": the events are pay.alipay_failed and pay.alipay_recovered.
    explicit call_log(const std::string& method)
        : failures_(log::level::warning, "pay." + method) {}

    void failed(std::string_view call, std::string_view why) {
        const std::scoped_lock held(mutex_);
        failures_.failed(std::string(call).append(": ").append(why));
    }
    void succeeded() {
        const std::scoped_lock held(mutex_);
        failures_.succeeded();
    }

private:
    std::mutex mutex_;
    failure_log failures_;  // guarded by mutex_
};

// A word that a channel sent, short enough for a log line.
inline std::string shown_word(std::string_view word) { return std::string(word.substr(0, 64)); }

}  // namespace floodgate::pay
