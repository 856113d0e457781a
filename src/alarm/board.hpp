// The alerts: what is wrong right now. They are raised and cleared by kind and subject, and shown
// to operators.
//
// When an alert is raised and when it is cleared there is a log line, a metric and, with
// webhook.hpp, a message; there is none while it goes on.

#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace floodgate::alarm {

// The runbook (docs/operating.md) has a section for each.
enum class kind : std::uint8_t {
    dead_letters = 1,  // promises that could not be entered
    invariant_breach,  // a sale's units do not add up; it was paused
    backlog,           // the clerk is far behind
    disk,              // little room left
    ledger_failing,    // the ledger cannot be written
    payment_limbo,     // a channel has not answered for long
    clock_jumped,      // the machine's clock was set to another time
    extra_money,       // orders were paid too late or twice; the money goes back
};
inline constexpr std::uint8_t kinds = 8;
const char* to_text(kind k);  // "dead_letters"

struct alert {
    alarm::kind kind{};
    std::string subject;  // "sale 7", "letters": one alert each
    std::string detail;   // a sentence, no secrets
    instant since;
};

struct notice {
    alert what;
    bool cleared = false;
    instant at;
};

class board {
public:
    // `told` is called on the raising thread, without a lock held. Must be quick. May be empty.
    explicit board(std::function<void(const notice&)> told = {}) : told_(std::move(told)) {}

    // Raising an alert that is raised already only renews its detail.
    void raise(kind k, const std::string& subject, const std::string& detail, instant now);
    void clear(kind k, const std::string& subject, instant now);  // fine when it is not raised
    // Raises or clears, as `wrong` says.
    void set(bool wrong, kind k, const std::string& subject, const std::string& detail,
             instant now);

    std::vector<alert> standing() const;  // oldest first
    std::uint64_t raised(kind k) const;   // how often since start

private:
    using key = std::pair<kind, std::string>;
    const std::function<void(const notice&)> told_;
    mutable std::mutex mutex_;
    std::map<key, alert> standing_;
    std::map<kind, std::uint64_t> raised_;
};

}  // namespace floodgate::alarm
