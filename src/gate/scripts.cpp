#include "gate/scripts.hpp"

#include "sale/gate_schema.hpp"

namespace floodgate::gate::scripts {
namespace {

// Before every script that reads promises or a buyer's orders.
constexpr std::string_view reading = R"lua(
local sub, byte, call = string.sub, string.byte, redis.call

local function order_in(promise) return sub(promise, order_first, order_last) end
local function buyer_in(promise) return sub(promise, buyer_first, buyer_last) end
local function key_in(promise) return sub(promise, head_bytes + 1) end
local function record_of(promise)
  return sub(promise, order_first, order_last) .. sub(promise, quantity_first, quantity_last)
end

local function number_at(text, at)
  local a, b, c, d = byte(text, at, at + 3)
  return a + b * 256 + c * 65536 + d * 16777216
end
local function quantity_in(promise) return number_at(promise, quantity_first) end
-- Of the record that begins there.
local function order_at(orders, at) return sub(orders, at, at + order_bytes - 1) end
local function quantity_at(orders, at) return number_at(orders, at + order_bytes) end

-- Where the order stands among a buyer's orders; nothing when it does not.
local function find(orders, order)
  for at = 1, #orders, record_bytes do
    if order_at(orders, at) == order then return at end
  end
end
)lua";

// The order of the questions is the precedence of sale/answer.hpp, as in gate/shelf.cpp.
constexpr std::string_view judging = R"lua(
local gate = call('HMGET', KEYS[1], epoch_field, open_field, seq_field, entered_field)
if gate[2] ~= is_open then return '' end

local epoch, seq = tonumber(gate[1]), tonumber(gate[3])
-- A restored snapshot, a replica that had not heard everything: what was promised since is missing
-- here, so nothing more may be given away before the rebuild.
local seen_epoch, seen_seq = tonumber(ARGV[5]), tonumber(ARGV[6])
if epoch < seen_epoch or epoch == seen_epoch and seq < seen_seq then
  call('HSET', KEYS[1], open_field, is_closed)
  return went_back .. gate[1] .. '-' .. gate[3]
end

local now, now_bytes, resent = tonumber(ARGV[1]), ARGV[2], ARGV[4] == '1'
local room = tonumber(ARGV[3]) - (seq - tonumber(gate[4] or 0))
local no_key = string.rep('\0', key_bytes)
local nothing = {}
local answers, told, line, line_end, promised, writes = {}, 0, {}, 0, 0, {}

-- The answer that the sale has for everybody, if it has one.
local function refusal(state, starts, ends)
  if not state or state == state_draft then return answer_unknown_sale end
  if state == state_paused then return answer_paused end
  if state == state_ended then return answer_ended end
  if now < tonumber(starts) then return answer_not_started .. starts .. number_end end
  if now >= tonumber(ends) then return answer_ended end
end

local function units_in(orders)
  local units = 0
  for at = order_bytes + 1, #orders, record_bytes do units = units + number_at(orders, at) end
  return units
end

-- The answer to a key that an earlier promise was made under. That promise may be this attempt's
-- own, when it was sent before.
local function answer_again(record, attempt, quantity)
  local order = order_at(record, 1)
  if resent and order == order_in(attempt) then return answer_accepted end
  if quantity_at(record, 1) == quantity then return answer_repeated .. order end
  return answer_key_reused .. order
end

-- The commands that ask for the buyers and for the keys of these attempts, and where among the keys
-- each attempt has its own.
local function questions(buyers_key, keys_key, first, last)
  local buyers, keys, key_place, n = {'HMGET', buyers_key}, {'HMGET', keys_key}, {}, 0
  for i = first, last do
    local a = ARGV[i]
    buyers[i - first + 3] = sub(a, buyer_first, buyer_last)
    if #a > head_bytes then
      n = n + 1
      keys[n + 2] = key_in(a)
      key_place[i] = n
    end
  end
  return buyers, keys, key_place, n
end

-- Attempts ARGV[first] to ARGV[last], all for this sale and, unless it is 0, all for this quantity.
-- They see each other: what one was promised is in `changed` and `fresh` for the next.
local function judge(sale_key, buyers_key, keys_key, same_quantity, first, last)
  local terms = call('HMGET', sale_key, state_field, starts_field, ends_field, limit_field,
                     stock_field, given_field, returned_field, largest_field, price_field)
  local refused = refusal(terms[1], terms[2], terms[3])

  local buyers, keys, key_place, n = questions(buyers_key, keys_key, first, last)
  local held = (resent or not refused) and call(unpack(buyers)) or nothing
  local known = n > 0 and call(unpack(keys)) or nothing

  local limit, given = tonumber(terms[4]), tonumber(terms[6])
  local free = not refused and tonumber(terms[5]) - given + tonumber(terms[7]) or 0
  local largest = tonumber(terms[8])
  local tail = (terms[9] or '') .. now_bytes
  local tail_without_key = tail .. no_key
  local changed, fresh = {}, {}
  local new_orders, orders_end, new_keys, keys_end = {'HSET', buyers_key}, 2, {'HSET', keys_key}, 2

  for i = first, last do
    local a = ARGV[i]
    local place = key_place[i]
    local key = place and keys[place + 2]
    local earlier = place and (fresh[key] or known[place])
    local buyer = buyers[i - first + 3]
    local orders = changed[buyer] or held[i - first + 1]
    local quantity = same_quantity > 0 and same_quantity or quantity_in(a)
    local answer
    if earlier then
      answer = answer_again(earlier, a, quantity)
    elseif resent and orders and find(orders, order_in(a)) then
      answer = answer_accepted
    elseif refused then
      answer = refused
    elseif quantity > limit then
      answer = answer_over_limit .. limit .. number_end
    elseif orders and units_in(orders) + quantity > limit then
      answer = answer_already_ordered .. order_at(orders, #orders - record_bytes + 1)
    elseif free < quantity then
      answer = free <= 0 and answer_sold_out or answer_not_enough .. free .. number_end
    elseif room < 1 then
      answer = answer_busy
    else
      answer = answer_accepted
      free, given, room, promised = free - quantity, given + quantity, room - 1, promised + 1
      if quantity > largest then largest = quantity end
      local record = record_of(a)
      local all = orders and orders .. record or record
      changed[buyer] = all
      new_orders[orders_end + 1] = buyer
      new_orders[orders_end + 2] = all
      orders_end = orders_end + 2
      if key then
        fresh[key] = record
        new_keys[keys_end + 1] = key
        new_keys[keys_end + 2] = record
        keys_end = keys_end + 2
        line[line_end + 1] = sub(a, 1, head_bytes)
        line[line_end + 2] = tail .. key
      else
        line[line_end + 1] = a
        line[line_end + 2] = tail_without_key
      end
      line_end = line_end + 2
    end
    told = told + 1
    answers[told] = answer
  end

  if orders_end > 2 then
    writes[#writes + 1] = new_orders
    writes[#writes + 1] = {'HSET', sale_key, given_field, given, largest_field, largest}
  end
  if keys_end > 2 then writes[#writes + 1] = new_keys end
end

local at = 7
for k = 3, #KEYS, 3 do
  local n, same_quantity = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  judge(KEYS[k], KEYS[k + 1], KEYS[k + 2], same_quantity, at + 2, at + 1 + n)
  at = at + 2 + n
end

-- The line first: it is the only write that can be refused, and then nothing has happened.
if promised > 0 then
  seq = seq + promised
  local added = redis.pcall('XADD', KEYS[2], gate[1] .. '-' .. seq, entry_field,
                            table.concat(line))
  if type(added) == 'table' and added.err then
    -- A line that is ahead of its gate: one of them is from another time. To be rebuilt.
    if string.find(added.err, 'smaller', 1, true) then
      call('HSET', KEYS[1], open_field, is_closed)
    end
    return redis.error_reply(added.err)
  end
  for _, write in ipairs(writes) do call(unpack(write)) end
  call('HSET', KEYS[1], seq_field, seq)
end
return gate[1] .. '-' .. seq .. number_end .. table.concat(answers)
)lua";

// A closed partition is being rebuilt: the rebuild must leave the released order out.
constexpr std::string_view releasing = R"lua(
local gate = call('HMGET', KEYS[1], epoch_field, open_field)
if not gate[1] then return 0 end
if gate[2] ~= is_open then call('SADD', KEYS[2], ARGV[2]) end
local orders = call('HGET', KEYS[4], ARGV[1])
local at = orders and find(orders, ARGV[2])
if not at then return 0 end
local quantity = quantity_at(orders, at)
local rest = sub(orders, 1, at - 1) .. sub(orders, at + record_bytes)
if rest == '' then call('HDEL', KEYS[4], ARGV[1]) else call('HSET', KEYS[4], ARGV[1], rest) end
call('HINCRBY', KEYS[3], returned_field, quantity)
return quantity
)lua";

// Sets a promise aside, as the take script would. Nothing happens when it is held.
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
local old = redis.call('HMGET', KEYS[3], revision_field, given_field, returned_field)
if old[1] then
  if revision ~= 0 and revision < tonumber(old[1]) then return said_ok end
  if stock < tonumber(old[2]) - tonumber(old[3]) then return said_conflict end
else
  redis.call('HSET', KEYS[3], given_field, 0, returned_field, 0, largest_field, 0)
end
redis.call('HSET', KEYS[3], revision_field, ARGV[3], stock_field, ARGV[4], unpack(ARGV, 5))
redis.call('SADD', KEYS[2], ARGV[2])
return said_ok
)lua";

// A closed partition says nothing: half a rebuild is no standing.
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

// The same epoch may begin again as long as nobody was let in under it.
constexpr std::string_view beginning = R"lua(
local gate = redis.call('HMGET', KEYS[1], epoch_field, open_field, seq_field)
local now, new = tonumber(gate[1] or 0), tonumber(ARGV[1])
if now > new or now == new and (gate[2] == is_open or gate[3] ~= '0') then return said_fenced end
redis.call('HSET', KEYS[1], epoch_field, ARGV[1], open_field, is_closed, seq_field, 0,
           entered_field, 0)
redis.call('DEL', KEYS[2])
return said_ok
)lua";

// Before every step of a rebuild.
constexpr std::string_view fencing = R"lua(
local gate = redis.call('HMGET', KEYS[1], epoch_field, open_field)
if gate[1] ~= ARGV[1] or gate[2] == is_open then return said_fenced end
)lua";

constexpr std::string_view forgetting = R"lua(
redis.call('UNLINK', KEYS[3], KEYS[4], KEYS[5])
redis.call('SREM', KEYS[2], ARGV[2])
return said_ok
)lua";

// A sale that is over and settled. Later terms mean that it may open again.
constexpr std::string_view forgetting_sale = R"lua(
local gate = redis.call('HMGET', KEYS[1], epoch_field, open_field)
if not gate[1] then return said_absent end
if gate[2] ~= is_open then return said_closed end
local revision = redis.call('HGET', KEYS[3], revision_field)
if revision and tonumber(revision) > tonumber(ARGV[2]) then return said_conflict end
redis.call('UNLINK', KEYS[3], KEYS[4], KEYS[5])
redis.call('SREM', KEYS[2], ARGV[1])
return said_ok
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

constexpr std::string_view opening = R"lua(
local gate = redis.call('HGET', KEYS[1], epoch_field)
if gate ~= ARGV[1] then return said_fenced end
redis.call('HSET', KEYS[1], open_field, is_open)
redis.call('DEL', KEYS[2])
return said_ok
)lua";

// The first line makes Redis refuse the whole script where a write would be refused (a replica, no
// memory, a failing disk), and keys of another slot.
// What only gives back, closes or looks works without memory as well.
constexpr std::string_view writes = "#!lua", writes_little = "#!lua flags=allow-oom",
                           only_reads = "#!lua flags=no-writes";

template <class... Parts>
store::redis_script joined(const Parts&... parts) {
    std::string text;
    (text.append(parts), ...);
    return store::redis_script(text);
}

using sale::gate_schema::lua_answers;
using sale::gate_schema::lua_fields;
using sale::gate_schema::lua_promise;
using sale::gate_schema::lua_said;

}  // namespace

const store::redis_script& take() {
    static const auto script =
        joined(writes, lua_fields(), lua_promise(), lua_answers(), reading, judging);
    return script;
}

const store::redis_script& release() {
    static const auto script =
        joined(writes_little, lua_fields(), lua_promise(), reading, releasing);
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
    static const auto script = joined(writes_little, lua_fields(), lua_said(), forgetting_sale);
    return script;
}

const store::redis_script& put_down() {
    static const auto script = joined(writes, lua_fields(), lua_promise(), lua_said(), fencing,
                                      reading, putting, putting_down);
    return script;
}

const store::redis_script& open() {
    static const auto script = joined(writes_little, lua_fields(), lua_said(), opening);
    return script;
}

}  // namespace floodgate::gate::scripts
