// The Lua scripts of the gate, except the one that judges attempts (take_script.hpp). Redis runs
// each in one step.
//
// Every key comes in through KEYS and carries the partition's hash tag. sale/gate_schema.hpp says
// what the keys hold, how an attempt is encoded and which letter means which answer.

#pragma once

#include "store/redis/redis.hpp"

namespace floodgate::gate::scripts {

// KEYS: gate, freed, sale, buyers, cooling. ARGV: buyer, order, beginning and end of the buyer's
// cool-down (ms; equal: none), and the revision at which the units were withdrawn (0: they were
// not). Gives the number of units that the buyer held until now, or release_later.
const store::redis_script& release();
// Withdrawn units cannot be released while the partition is closed.
inline constexpr std::int64_t release_later = -1;

// KEYS: gate, sale, buyers, keys. ARGV: the promise. Gives ok, closed, missing or conflict.
const store::redis_script& retake();

// KEYS: gate, sales, sale. ARGV: the epoch of a rebuild (empty: a warm-up), id, revision, stock,
// then fields and values of the sale. Gives ok, absent (no partition), fenced or conflict.
const store::redis_script& load();

// KEYS: gate, sale, buyers. Gives stock, given, returned, largest, number of buyers, bytes; or nil.
const store::redis_script& look();

// KEYS: gate. Gives ok.
const store::redis_script& close();

// KEYS: gate, freed. ARGV: epoch. Gives ok or fenced.
const store::redis_script& begin();

// Deletes one sale's keys, after begin. KEYS: gate, sales, sale, buyers, keys, cooling. ARGV:
// epoch, id. Gives ok or fenced.
const store::redis_script& forget();

// Takes a sale that is over out of an open partition. KEYS: gate, sales, sale, buyers, keys,
// cooling. ARGV: revision, id. Gives ok, absent, closed, or conflict (the gate has terms of a later
// revision).
const store::redis_script& forget_sale();

// KEYS: gate, freed, then sale, buyers, keys of each sale. ARGV: epoch; 1 if only the
// Idempotency-Keys are to be put down; then for each sale the number of its promises and the
// promises. Gives ok, fenced or missing (a sale is not loaded; nothing was done).
const store::redis_script& put_down();

// Puts down the cool-downs of one loaded sale. KEYS: gate, sale, cooling. ARGV: epoch, now (ms),
// then for each buyer the end of the cool-down (ms) and the buyer. Gives ok, fenced or missing.
const store::redis_script& put_down_cooling();

// KEYS: gate, freed. ARGV: epoch. Gives ok or fenced.
const store::redis_script& open();

// Claims Idempotency-Keys: see intent_claims.hpp. KEYS: the intents to be claimed, then those to be
// kept. ARGV: how long a claim lasts (ms), how long a key is kept (ms), how many are to be claimed,
// then the sale of each key. Gives the earlier value for each claim: nil, or a sale.
const store::redis_script& claim();

}  // namespace floodgate::gate::scripts
