// The messages that are to be sent to merchants, and when each is due.
//
// Like the trades they are in memory and in the database. Used by one thread at a time.

#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "sandbox/switches.hpp"
#include "sandbox/trade.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::sandbox {

struct notify {
    std::int64_t id = 0;  // the schedule's
    sandbox::channel channel = channel::alipay;
    std::string out_trade_no;
    std::string url;
    // Alipay: the form without notify_time and signature, which differ from try to try.
    // WeChat Pay: the body. Both hold the message's own id, which stays the same.
    std::string content;
    std::uint32_t tries = 0;
    instant due;
    bool held = false;  // out of order: waits for the next message of its trade
    int last_status = 0;
};

inline constexpr std::size_t notifies_max = 10'000;

// The pauses between the tries of one message. There is one try more than pauses.
std::span<const milliseconds> retry_pauses(channel c);

class notify_schedule {
public:
    explicit notify_schedule(store::database& db, std::size_t most = notifies_max);

    // Delayed, repeated, held back or dropped, as the switches say. Above the limit the message
    // that is due first is given up.
    void add(notify n, const switches& s, instant now);

    // The messages due by now, in the order in which they are to be sent.
    std::vector<notify> due(instant now, std::size_t most) const;
    // After a try. True: the merchant has taken the message. Otherwise it comes again, or is given
    // up after its last try.
    void settle(std::int64_t id, bool taken, int status, const switches& s, instant now);

    instant next_due() const;  // `never`: nothing is to be sent
    std::vector<notify> all() const;

private:
    void keep(const notify& n);
    void drop(std::int64_t id);
    notify* held_for(const notify& n);

    store::database& db_;
    const std::size_t most_;
    std::map<std::int64_t, notify> waiting_;
    std::int64_t last_id_ = 0;
};

}  // namespace floodgate::sandbox
