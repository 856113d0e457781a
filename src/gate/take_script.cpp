#include "gate/take_script.hpp"

#include "gate/script_parts.hpp"

namespace floodgate::gate::scripts {
namespace {

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
local function judge(sale_key, buyers_key, keys_key, cooling_key, same_quantity, first, last)
  local terms = call('HMGET', sale_key, state_field, starts_field, ends_field, limit_field,
                     stock_field, given_field, returned_field, largest_field, price_field,
                     cooling_field)
  local refused = refusal(terms[1], terms[2], terms[3])

  local buyers, keys, key_place, n = questions(buyers_key, keys_key, first, last)
  local held = (resent or not refused) and call(unpack(buyers)) or nothing
  local known = n > 0 and call(unpack(keys)) or nothing
  local waits = nothing  -- until when each of the buyers has to wait
  if not refused and terms[10] and now < tonumber(terms[10]) then
    buyers[1], buyers[2] = 'ZMSCORE', cooling_key
    waits = call(unpack(buyers))
  end

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
    local wait = waits[i - first + 1]
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
    elseif wait and now < tonumber(wait) then
      answer = answer_cooling_down .. wait .. number_end
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
for k = 3, #KEYS, 4 do
  local n, same_quantity = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  judge(KEYS[k], KEYS[k + 1], KEYS[k + 2], KEYS[k + 3], same_quantity, at + 2, at + 1 + n)
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

}  // namespace

const store::redis_script& take() {
    static const auto script =
        joined(writes, lua_fields(), lua_promise(), lua_answers(), reading, judging);
    return script;
}

}  // namespace floodgate::gate::scripts
