// The journal of messages that payment channels sent by themselves, as they came, with the verdict
// on each. It is evidence: nothing is decided by it.
//
// Anybody can send messages, so its growth is bounded. A message that moved an order is always
// kept; there are only a few for each order. Of all others (forged, unknown, repeated) this process
// keeps `others_a_minute_max` in each minute of its clock. At 8 KiB each this is at most 700 MiB a
// day. Those that are left out are still counted and logged (guard/security_events.hpp).

#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "sale/ids.hpp"

namespace floodgate::store {
class database;
}

namespace floodgate::ledger {

struct channel_message {
    std::int64_t id = 0;
    instant at;
    std::string method;
    std::string verdict;     // a word; see shop/message_desk.hpp
    sale::order_no order;    // 0: it names no order of ours
    std::string channel_no;  // the channel's own number of the trade
    std::string raw;         // any bytes; the rest of a longer one is cut off
};

class message_book {
public:
    static constexpr std::size_t raw_bytes_max = 8192;
    static constexpr int others_a_minute_max = 60;

    explicit message_book(store::database& db) : db_(db) {}

    // False: it was left out, by the rule above. The id is assigned. A channel_no with anything but
    // letters, digits and -_ in it is not kept.
    result<bool> add(const channel_message& m, bool moved_an_order);
    // Newest first, only ids below `before` (0: from the newest), at most `limit`.
    result<std::vector<channel_message>> list(std::int64_t before, std::size_t limit);

private:
    bool has_room(instant now);

    store::database& db_;
    std::mutex mutex_;  // guards what follows
    std::int64_t minute_ = -1;
    int kept_ = 0;  // of the others, in this minute
};

}  // namespace floodgate::ledger
