-- The peer's admission: stock, one per buyer and the order's place in the line, in one atomic step.
-- KEYS: stock, buyers, orders of one sale. ARGV: user, order number.
-- Answers 0 admitted, 1 sold out, 2 already ordered.
if redis.call('sismember', KEYS[2], ARGV[1]) == 1 then return 2 end
if tonumber(redis.call('get', KEYS[1]) or 0) <= 0 then return 1 end
redis.call('decr', KEYS[1])
redis.call('sadd', KEYS[2], ARGV[1])
redis.call('xadd', KEYS[3], '*', 'user', ARGV[1], 'order_no', ARGV[2])
return 0
