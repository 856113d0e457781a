// Watches figures that show trouble, and raises or clears the alerts.

#pragma once

#include <functional>
#include <optional>

#include "alarm/board.hpp"
#include "clerk/desk.hpp"

namespace floodgate::jobs {

// An alert is raised above these limits and cleared only a fifth below them, so that it does not
// come and go at the limit.
struct alert_watch_options {
    std::uint64_t backlog_alarm = 100'000;  // promises not in the ledger
    milliseconds oldest_alarm{60'000};      // how long the oldest of them has waited
    milliseconds failing_alarm{5000};       // how long the ledger could not be written
    std::uint64_t disk_min_bytes = 1ULL << 30U;
    unsigned disk_min_percent = 5;
};

struct disk_space {  // bytes
    std::uint64_t free = 0, total = 0;
};

class alert_watch {
public:
    struct world {
        std::function<clerk::figures()> clerk;
        std::function<std::optional<disk_space>()> disk;  // empty: unknown, no alert
        alarm::board& board;
    };
    alert_watch(world w, alert_watch_options o) : world_(std::move(w)), options_(o) {}

    void step(instant now);

private:
    void look_at_backlog(const clerk::figures& f, instant now);
    void look_at_ledger(const clerk::figures& f, instant now);
    void look_at_disk(instant now);

    const world world_;
    const alert_watch_options options_;
    bool backlog_ = false, disk_ = false;  // raised
};

}  // namespace floodgate::jobs
