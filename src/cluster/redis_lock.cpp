#include "cluster/redis_lock.hpp"

namespace floodgate::cluster {
namespace {

const store::redis_script& take_script() {
    static const store::redis_script script(R"(
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1)");
    return script;
}

const store::redis_script& renew_script() {
    static const store::redis_script script(R"(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2]))");
    return script;
}

const store::redis_script& release_script() {
    static const store::redis_script script(R"(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1]))");
    return script;
}

result<lock_state> state_of(const result<store::redis_reply>& said) {
    if (!said) return said.error();
    return said->integer == 1 ? lock_state::ours : lock_state::not_ours;
}

}  // namespace

result<lock_state> take(store::redis& redis, const redis_lock& lock, milliseconds time) {
    return state_of(
        redis.run(take_script(), {lock.key}, {lock.owner, std::to_string(time.count())}));
}

result<lock_state> renew(store::redis& redis, const redis_lock& lock, milliseconds time) {
    return state_of(
        redis.run(renew_script(), {lock.key}, {lock.owner, std::to_string(time.count())}));
}

result<void> release(store::redis& redis, const redis_lock& lock) {
    const auto said = redis.run(release_script(), {lock.key}, {lock.owner});
    if (!said) return said.error();
    return {};
}

}  // namespace floodgate::cluster
