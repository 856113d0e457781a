// The script that judges attempts: the decision of a cluster's gate.

#pragma once

#include "store/redis/redis.hpp"

namespace floodgate::gate::scripts {

// Judges attempts. KEYS: gate, line, then sale, buyers, keys, cooling of each sale. ARGV: now (ms),
// now (8 bytes), backlog_max, 1 if these attempts were sent before, epoch and number of the latest
// promise the node has heard of; then for each sale the number of its attempts, the quantity if all
// ask for the same (otherwise 0), and the attempts.
//
// Gives one string, which is one of
//   empty              the partition is not open
//   "!EPOCH-NUMBER"    Redis has lost promises that the node has heard of; the partition is now
//                      closed
//   "EPOCH-NUMBER;"    then for each attempt the answer's letter and, where the answer has one, the
//                      order's 8 bytes or a number and a semicolon
const store::redis_script& take();

}  // namespace floodgate::gate::scripts
