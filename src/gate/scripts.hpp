// What Redis is asked to do in one step: the Lua scripts of the gate, but for the one that judges
// attempts (take_script.hpp).
//
// Every key comes in through KEYS and carries the partition's hash tag. What the keys hold, how an
// attempt travels and which letter means which answer: sale/gate_schema.hpp.

#pragma once

#include "store/redis/redis.hpp"

namespace floodgate::gate::scripts {

// KEYS: gate, freed, sale, buyers, cooling. ARGV: buyer, order, from and until when the buyer has
// to wait (ms; the same: not at all). Gives the units that came back.
const store::redis_script& release();

// KEYS: gate, sale, buyers, keys. ARGV: the promise. Gives ok, closed, missing or conflict.
const store::redis_script& retake();

// KEYS: gate, sales, sale. ARGV: the epoch of a rebuild or nothing, id, revision, stock, then
// fields and values of the sale. Gives ok, absent (no partition), fenced or conflict.
const store::redis_script& load();

// KEYS: gate, sale, buyers. Gives stock, given, returned, largest, number of buyers, bytes; or nil.
const store::redis_script& look();

// KEYS: gate. Gives ok.
const store::redis_script& close();

// KEYS: gate, freed. ARGV: epoch. Gives ok or fenced.
const store::redis_script& begin();

// One sale's keys, after begin. KEYS: gate, sales, sale, buyers, keys, cooling. ARGV: epoch, id.
// Gives ok or fenced.
const store::redis_script& forget();

// A sale that is over leaves an open partition. KEYS: gate, sales, sale, buyers, keys, cooling.
// ARGV: revision, id. Gives ok, absent, closed, or conflict (the gate has terms of a later
// revision).
const store::redis_script& forget_sale();

// KEYS: gate, freed, then sale, buyers, keys of each sale. ARGV: epoch, 1 when only keys are
// wanted, then for each sale the number of its promises and the promises. Gives ok, fenced or
// missing (a sale is not loaded; nothing was done).
const store::redis_script& put_down();

// Buyers of one loaded sale who have to wait. KEYS: gate, sale, cooling. ARGV: epoch, now (ms),
// then for each until when (ms) and the buyer. Gives ok, fenced or missing.
const store::redis_script& put_down_cooling();

// KEYS: gate, freed. ARGV: epoch. Gives ok or fenced.
const store::redis_script& open();

// Claims Idempotency-Keys: see intent_claims.hpp. KEYS: the intents to be claimed, then those to be
// kept. ARGV: how long a claim lasts (ms), how long one is kept (ms), how many are to be claimed,
// then the sale of each. Gives for each claim what stood there before: nil, or a sale.
const store::redis_script& claim();

}  // namespace floodgate::gate::scripts
