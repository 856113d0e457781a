#include "cluster/redis_leases.hpp"

#include <algorithm>
#include <random>
#include <utility>

#include "base/log.hpp"
#include "base/thread.hpp"

namespace floodgate::cluster {
namespace {

// Each compares the owner first: what has become another's is left alone. One's own is taken again:
// the answer to the first taking may have been lost.
const store::redis_script take_script(R"(
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1)");

const store::redis_script renew_script(R"(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2]))");

const store::redis_script release_script(R"(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1]))");

// Redis' own clock: those of the nodes may differ.
const store::redis_script alive_script(R"(
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZRANGE', KEYS[1], 0, -1))");

std::string new_owner(std::uint32_t node) {
    std::random_device random;
    return fmt::format("{}-{:08x}{:08x}", node, random(), random());
}

std::string ms(milliseconds t) { return std::to_string(t.count()); }

milliseconds trusted(milliseconds lease) { return lease - lease / 10; }

}  // namespace

redis_leases::redis_leases(store::redis& redis, redis_leases_options options)
    : redis_(redis),
      options_(std::move(options)),
      owner_(new_owner(options_.node)),
      alive_{owner_} {}

redis_leases::~redis_leases() { end(); }

void redis_leases::seek(duty d, const std::string& group) {
    auto p = std::make_unique<post>();
    p->key = key_of("lease:" + d.name);
    p->what = std::move(d);
    p->group = group;
    const std::lock_guard lock(mutex_);
    posts_.push_back(std::move(p));
}

void redis_leases::start() {
    const std::lock_guard lock(mutex_);
    if (std::exchange(started_, true)) return;
    // Nodes begin at different duties, or all would run for the first.
    std::rotate(posts_.begin(),
                posts_.begin() + static_cast<std::ptrdiff_t>(
                                     posts_.empty() ? 0 : std::random_device{}() % posts_.size()),
                posts_.end());
    for (const auto& p : posts_) {
        p->asked_at = steady::now();
        p->hand = std::jthread([this, one = p.get()] { work(*one); });
    }
    keeper_ = std::jthread([this] { keep(); });
}

void redis_leases::stop() { end(); }

void redis_leases::vanish() {
    {
        const std::lock_guard lock(mutex_);
        vanished_ = over_ = true;
    }
    end();
}

void redis_leases::end() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        if (!started_) return;
    }
    changed_.notify_all();
    if (keeper_.joinable()) keeper_.join();
    for (const auto& p : posts_)
        if (p->hand.joinable()) p->hand.join();
}

bool redis_leases::holds(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    const auto now = steady::now();
    return std::any_of(posts_.begin(), posts_.end(), [&](const auto& p) {
        return p->what.name == name && p->now == stage::held && p->locked && now < p->sure_until;
    });
}

std::vector<held_lease> redis_leases::held() const {
    const std::lock_guard lock(mutex_);
    const auto now = steady::now();
    std::vector<held_lease> out;
    for (const auto& p : posts_)
        if (p->now == stage::held && p->locked && now < p->sure_until)
            out.push_back({p->what.name, p->number});
    return out;
}

std::vector<std::string> redis_leases::nodes_alive() const {
    const std::lock_guard lock(mutex_);
    return alive_;
}

// ---- the hand of one duty: does what its stage asks for

void redis_leases::work(post& p) {
    name_thread(("duty " + p.what.name).substr(0, 15).c_str());
    std::unique_lock lock(mutex_);
    while (!over_) {
        switch (p.now) {
        case stage::raising: take_up(p, lock); break;
        case stage::leaving: put_down(p, lock); break;
        case stage::held:
            if (!p.locked || stopping_ || steady::now() >= p.sure_until) {
                p.now = stage::leaving;
            } else {
                // Watched here and not by the keeper, who may be waiting for a silent Redis.
                changed_.wait_until(lock, p.sure_until);
            }
            break;
        case stage::seeking: changed_.wait(lock); break;
        }
    }
}

void redis_leases::take_up(post& p, std::unique_lock<std::mutex>& lock) {
    lock.unlock();
    const auto number = p.what.raise();
    lock.lock();
    if (over_) return;
    if (!number) {
        log::warning("cluster.duty_not_taken_up", "duty", p.what.name, "error",
                     number.error().message());
        p.seek_after = steady::now() + options_.lease;
    }
    if (!number || !p.locked || stopping_ || steady::now() >= p.sure_until) {
        p.now = stage::seeking;  // the keeper gives the lock back
        changed_.notify_all();
        return;
    }
    p.number = *number;
    p.now = stage::held;
    log::info("cluster.lease_gained", "duty", p.what.name, "number", p.number);
    lock.unlock();
    p.what.gained(*number);
    lock.lock();
}

void redis_leases::put_down(post& p, std::unique_lock<std::mutex>& lock) {
    log::info("cluster.lease_left", "duty", p.what.name, "number", p.number);
    lock.unlock();
    p.what.lost();
    lock.lock();
    p.number = 0;
    p.asked_at = steady::now();
    p.now = stage::seeking;
    changed_.notify_all();
}

// ---- the keeper: the only one who talks to Redis

void redis_leases::keep() {
    name_thread("leases");
    steady::time_point renew_at{};
    steady::time_point seek_at{};
    for (;;) {
        release_idle();
        const auto now = steady::now();
        if (now >= renew_at) {
            renew_at = now + options_.renew_every;
            renew();
        }
        if (now >= seek_at) {
            seek_at = now + options_.seek_every;
            report_alive();
            share_out();
            try_to_seek();
        }
        std::unique_lock lock(mutex_);
        if (over_) return;
        if (stopping_ && all_idle()) break;
        const auto has_idle_lock = [](const auto& p) {
            return p->now == stage::seeking && p->locked;
        };
        if (std::none_of(posts_.begin(), posts_.end(), has_idle_lock))
            changed_.wait_until(lock, std::min(renew_at, seek_at));
    }
    (void)redis_.ask(key_of("nodes"), {"ZREM", key_of("nodes"), owner_});
    const std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_all();
}

bool redis_leases::all_idle() const {
    return std::all_of(posts_.begin(), posts_.end(),
                       [](const auto& p) { return p->now == stage::seeking && !p->locked; });
}

// One by one: a server of a cluster that is away must not keep the others' leases from being
// renewed.
void redis_leases::renew() {
    for (const auto& p : posts_) {
        {
            const std::lock_guard lock(mutex_);
            if (!p->locked) continue;
        }
        const auto sent = steady::now();
        const auto said = redis_.run(renew_script, {p->key}, {owner_, ms(options_.lease)});
        if (!said) continue;  // sure_until stands
        const std::lock_guard lock(mutex_);
        if (said->integer == 1) {
            p->sure_until = sent + trusted(options_.lease);
        } else {
            p->locked = false;
            log::warning("cluster.lease_lost", "duty", p->what.name);
            changed_.notify_all();
        }
    }
}

void redis_leases::release_idle() {
    for (const auto& p : posts_) {
        {
            const std::lock_guard lock(mutex_);
            if (vanished_) return;
            if (!p->locked || p->now != stage::seeking) continue;
        }
        (void)redis_.run(release_script, {p->key}, {owner_});  // unheard: it ends by itself
        const std::lock_guard lock(mutex_);
        p->locked = false;
    }
}

void redis_leases::report_alive() {
    {
        const std::lock_guard lock(mutex_);
        if (stopping_) return;
    }
    const auto said = redis_.run(alive_script, {key_of("nodes")}, {owner_, ms(options_.lease)});
    const std::lock_guard lock(mutex_);
    if (!said || said->what != store::redis_reply::kind::array) return;
    alive_.clear();
    for (const auto& node : said->items) alive_.push_back(node.text);
}

std::size_t redis_leases::fair_share(const std::string& group) const {
    const auto members = static_cast<std::size_t>(std::count_if(
        posts_.begin(), posts_.end(), [&](const auto& p) { return p->group == group; }));
    const std::size_t nodes = std::max<std::size_t>(alive_.size(), 1);
    return (members + nodes - 1) / nodes;
}

std::size_t redis_leases::taken(const std::string& group) const {
    return static_cast<std::size_t>(std::count_if(posts_.begin(), posts_.end(), [&](const auto& p) {
        return p->group == group && (p->now == stage::held || p->now == stage::raising);
    }));
}

// Beyond the fair share a node asks once in two leases: whose turn it is may be unable to.
bool redis_leases::wants(const post& p, steady::time_point now) const {
    if (stopping_ || p.now != stage::seeking || p.locked || now < p.seek_after) return false;
    return p.group.empty() || taken(p.group) < fair_share(p.group) ||
           now - p.asked_at > 2 * options_.lease;
}

void redis_leases::try_to_seek() {
    for (const auto& p : posts_) {
        {
            const std::lock_guard lock(mutex_);
            if (!wants(*p, steady::now())) continue;
        }
        const auto sent = steady::now();
        const auto said = redis_.run(take_script, {p->key}, {owner_, ms(options_.lease)});
        const std::lock_guard lock(mutex_);
        p->asked_at = steady::now();
        if (!said || said->integer != 1) continue;
        p->locked = true;
        p->sure_until = sent + trusted(options_.lease);
        p->now = stage::raising;
        changed_.notify_all();
    }
}

// One at a time: the others take what this node leaves.
void redis_leases::share_out() {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> done;
    for (auto it = posts_.rbegin(); it != posts_.rend(); ++it) {
        post& p = **it;
        if (p.group.empty() || p.now != stage::held) continue;
        if (std::find(done.begin(), done.end(), p.group) != done.end()) continue;
        if (taken(p.group) <= fair_share(p.group)) continue;
        p.now = stage::leaving;
        done.push_back(p.group);
    }
    changed_.notify_all();
}

}  // namespace floodgate::cluster
