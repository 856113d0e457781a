// All that the emulated channels know. Every answer is a function of this, the request and the
// time.

#pragma once

#include "sandbox/notify_schedule.hpp"
#include "sandbox/parties.hpp"
#include "sandbox/switches.hpp"
#include "sandbox/trade_store.hpp"

namespace floodgate::sandbox {

// Used by one thread at a time.
struct platform {
    platform(parties p, store::database& db) : who(std::move(p)), trades(db), notifies(db) {}

    const parties who;
    trade_store trades;
    notify_schedule notifies;
    switches set;
};

}  // namespace floodgate::sandbox
