// The script that judges attempts: the decision of a cluster's gate.

#pragma once

#include "store/redis/redis.hpp"

namespace floodgate::gate::scripts {

// Judges attempts. KEYS: gate, line, then sale, buyers, keys, cooling of each sale. ARGV: now (ms),
// now (8 bytes), backlog_max, 1 when these attempts were sent before, epoch and number of the
// latest promise the node has heard of; then for each sale the number of its attempts, the quantity
// if all ask for the same (0: they do not), and the attempts. Gives one string. Empty: the
// partition is not open. "!EPOCH-NUMBER": it has gone back in time, and is closed now.
// "EPOCH-NUMBER;", then for each attempt the answer's letter followed, where the answer has one, by
// the order's 8 bytes or by a number and a semicolon.
const store::redis_script& take();

}  // namespace floodgate::gate::scripts
