#include "gate/scripts.hpp"

#include "gate/script_parts.hpp"

namespace floodgate::gate::scripts {
namespace {

// Buyers in a cool-down stand in a set ordered by its end. Each new one sweeps out those that are
// over. The key expires a while after its last entry ends. The time to live is computed from the
// node's time in the call, so the clocks of Redis and the nodes need not agree.
constexpr std::string_view cooling = R"lua(
local function note_cooling(sale, cooling, now)
  redis.call('ZREMRANGEBYSCORE', cooling, '-inf', now)
  local last = redis.call('ZRANGE', cooling, -1, -1, 'WITHSCORES')[2]
  if not last then return end
  redis.call('PEXPIRE', cooling, tonumber(last) - tonumber(now) + 60000)
  if redis.call('EXISTS', sale) == 1 then redis.call('HSET', sale, cooling_field, last) end
end
)lua";

// A closed partition is being rebuilt, and the rebuild must leave the released order out. The
// cool-down begins whether or not the order is (still) held here.
//
// The rebuild cannot leave out a withdrawn order: it may have read the total stock before the
// withdrawal. Such an order is released when the partition is open.
constexpr std::string_view releasing = R"lua(
local gate = call('HMGET', KEYS[1], epoch_field, open_field)
if not gate[1] then return 0 end
if tonumber(ARGV[4]) > tonumber(ARGV[3]) then
  call('ZADD', KEYS[5], 'GT', ARGV[4], ARGV[1])
  note_cooling(KEYS[3], KEYS[5], ARGV[3])
end
local withdrawn_at = tonumber(ARGV[5])
if gate[2] ~= is_open then
  if withdrawn_at > 0 then return -1 end
  call('SADD', KEYS[2], ARGV[2])
end
local orders = call('HGET', KEYS[4], ARGV[1])
local at = orders and find(orders, ARGV[2])
if not at then return 0 end
local quantity = quantity_at(orders, at)
local rest = sub(orders, 1, at - 1) .. sub(orders, at + record_bytes)
if rest == '' then call('HDEL', KEYS[4], ARGV[1]) else call('HSET', KEYS[4], ARGV[1], rest) end
call('HINCRBY', KEYS[3], returned_field, quantity)
if withdrawn_at == 0 then return quantity end
local sale = call('HMGET', KEYS[3], revision_field, withdrawn_at_field)
if withdrawn_at > tonumber(sale[2] or 0) then
  call('HSET', KEYS[3], withdrawn_at_field, withdrawn_at)
end
if tonumber(sale[1] or 0) < withdrawn_at then call('HINCRBY', KEYS[3], stock_field, -quantity) end
return quantity
)lua";

// Puts a promise down as the take script would. Does nothing if it is held already.
constexpr std::string_view putting = R"lua(
local function put(sale, buyers, keys, p)
  local orders = call('HGET', buyers, buyer_in(p))
  if orders and find(orders, order_in(p)) then return end
  call('HSET', buyers, buyer_in(p), (orders or '') .. record_of(p))
  call('HINCRBY', sale, given_field, quantity_in(p))
  if quantity_in(p) > tonumber(call('HGET', sale, largest_field)) then
    call('HSET', sale, largest_field, quantity_in(p))
  end
  if #p > head_bytes then call('HSET', keys, key_in(p), record_of(p)) end
end
)lua";

constexpr std::string_view retaking = R"lua(
if call('HGET', KEYS[1], open_field) ~= is_open then return said_closed end
local p = ARGV[1]
local sale = call('HMGET', KEYS[2], stock_field, given_field, returned_field)
if not sale[1] then return said_missing end
local orders = call('HGET', KEYS[3], buyer_in(p))
if orders and find(orders, order_in(p)) then return said_ok end
local free = tonumber(sale[1]) - tonumber(sale[2]) + tonumber(sale[3])
if free < quantity_in(p) then return said_conflict end
put(KEYS[2], KEYS[3], KEYS[4], p)
return said_ok
)lua";

constexpr std::string_view loading = R"lua(
local gate = redis.call('HMGET', KEYS[1], epoch_field, open_field)
local epoch, revision, stock = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4])
if epoch == '' then
  if not gate[1] then return said_absent end
elseif gate[1] ~= epoch or gate[2] == is_open then
  return said_fenced
end
local old = redis.call('HMGET', KEYS[3], revision_field, given_field, returned_field, stock_field,
                       withdrawn_at_field)
if old[1] then
  local old_revision, old_stock = tonumber(old[1]), tonumber(old[4])
  local withdrawn_at = tonumber(old[5] or 0)
  if revision == 0 then
    revision = old_revision
    if withdrawn_at > 0 then stock = math.min(stock, old_stock) end
  elseif revision < math.max(old_revision, withdrawn_at) then
    return said_ok
  end
  if stock < tonumber(old[2]) - tonumber(old[3]) and stock < old_stock then return said_conflict end
else
  redis.call('HSET', KEYS[3], given_field, 0, returned_field, 0, largest_field, 0)
end
redis.call('HSET', KEYS[3], revision_field, revision, stock_field, stock, unpack(ARGV, 5))
redis.call('SADD', KEYS[2], ARGV[2])
return said_ok
)lua";

// A closed partition gives nil, because half a rebuild is no standing.
constexpr std::string_view looking = R"lua(
if redis.call('HGET', KEYS[1], open_field) ~= is_open then return false end
local sale = redis.call('HMGET', KEYS[2], stock_field, given_field, returned_field, largest_field)
if not sale[1] then return false end
sale[5] = redis.call('HLEN', KEYS[3])
sale[6] = redis.call('MEMORY', 'USAGE', KEYS[3]) or 0
return sale
)lua";

constexpr std::string_view closing = R"lua(
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HSET', KEYS[1], open_field, is_closed) end
return said_ok
)lua";

// The same epoch may begin again as long as no attempt was accepted under it.
constexpr std::string_view beginning = R"lua(
local gate = redis.call('HMGET', KEYS[1], epoch_field, open_field, seq_field)
local now, new = tonumber(gate[1] or 0), tonumber(ARGV[1])
if now > new or now == new and (gate[2] == is_open or gate[3] ~= '0') then return said_fenced end
redis.call('HSET', KEYS[1], epoch_field, ARGV[1], open_field, is_closed, seq_field, 0,
           entered_field, 0)
redis.call('DEL', KEYS[2])
return said_ok
)lua";

// Stands before every step of a rebuild.
constexpr std::string_view fencing = R"lua(
local gate = redis.call('HMGET', KEYS[1], epoch_field, open_field)
if gate[1] ~= ARGV[1] or gate[2] == is_open then return said_fenced end
)lua";

constexpr std::string_view forgetting = R"lua(
redis.call('UNLINK', KEYS[3], KEYS[4], KEYS[5], KEYS[6])
redis.call('SREM', KEYS[2], ARGV[2])
return said_ok
)lua";

// Forgets a sale that is over and settled, unless later terms mean that it may open again.
constexpr std::string_view asking_to_forget = R"lua(
local gate = redis.call('HMGET', KEYS[1], epoch_field, open_field)
if not gate[1] then return said_absent end
if gate[2] ~= is_open then return said_closed end
local revision = redis.call('HGET', KEYS[3], revision_field)
if revision and tonumber(revision) > tonumber(ARGV[1]) then return said_conflict end
)lua";

constexpr std::string_view putting_down = R"lua(
for k = 3, #KEYS, 3 do
  if call('EXISTS', KEYS[k]) == 0 then return said_missing end
end
local at = 3
for k = 3, #KEYS, 3 do
  local last = at + tonumber(ARGV[at])
  for i = at + 1, last do
    local p = ARGV[i]
    if ARGV[2] == '1' or call('SISMEMBER', KEYS[2], order_in(p)) == 1 then
      if #p > head_bytes then call('HSETNX', KEYS[k + 2], key_in(p), record_of(p)) end
    else
      put(KEYS[k], KEYS[k + 1], KEYS[k + 2], p)
    end
  end
  at = last + 1
end
return said_ok
)lua";

constexpr std::string_view putting_down_cooling = R"lua(
if redis.call('EXISTS', KEYS[2]) == 0 then return said_missing end
for i = 3, #ARGV, 2 do redis.call('ZADD', KEYS[3], 'GT', ARGV[i], ARGV[i + 1]) end
note_cooling(KEYS[2], KEYS[3], ARGV[2])
return said_ok
)lua";

constexpr std::string_view opening = R"lua(
local gate = redis.call('HGET', KEYS[1], epoch_field)
if gate ~= ARGV[1] then return said_fenced end
redis.call('HSET', KEYS[1], open_field, is_open)
redis.call('DEL', KEYS[2])
return said_ok
)lua";

constexpr std::string_view claiming = R"lua(
local claimed_for, kept_for, claims = ARGV[1], ARGV[2], tonumber(ARGV[3])
local before = {}
for i, intent in ipairs(KEYS) do
  local sale = ARGV[i + 3]
  if i <= claims then
    before[i] = redis.call('SET', intent, sale, 'NX', 'GET', 'PX', claimed_for)
  else
    redis.call('SET', intent, sale, 'PX', kept_for)
  end
end
return before
)lua";

}  // namespace

const store::redis_script& release() {
    static const auto script =
        joined(writes_little, lua_fields(), lua_promise(), reading, cooling, releasing);
    return script;
}

const store::redis_script& retake() {
    static const auto script =
        joined(writes, lua_fields(), lua_promise(), lua_said(), reading, putting, retaking);
    return script;
}

const store::redis_script& load() {
    static const auto script = joined(writes, lua_fields(), lua_said(), loading);
    return script;
}

const store::redis_script& look() {
    static const auto script = joined(only_reads, lua_fields(), looking);
    return script;
}

const store::redis_script& close() {
    static const auto script = joined(writes_little, lua_fields(), lua_said(), closing);
    return script;
}

const store::redis_script& begin() {
    static const auto script = joined(writes_little, lua_fields(), lua_said(), beginning);
    return script;
}

const store::redis_script& forget() {
    static const auto script = joined(writes_little, lua_fields(), lua_said(), fencing, forgetting);
    return script;
}

const store::redis_script& forget_sale() {
    static const auto script =
        joined(writes_little, lua_fields(), lua_said(), asking_to_forget, forgetting);
    return script;
}

const store::redis_script& put_down() {
    static const auto script = joined(writes, lua_fields(), lua_promise(), lua_said(), fencing,
                                      reading, putting, putting_down);
    return script;
}

const store::redis_script& put_down_cooling() {
    static const auto script =
        joined(writes, lua_fields(), lua_said(), fencing, cooling, putting_down_cooling);
    return script;
}

const store::redis_script& open() {
    static const auto script = joined(writes_little, lua_fields(), lua_said(), opening);
    return script;
}

const store::redis_script& claim() {
    static const auto script = joined(writes, claiming);
    return script;
}

}  // namespace floodgate::gate::scripts
