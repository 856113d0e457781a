#include "cluster/redis_leases.hpp"

#include <algorithm>
#include <random>
#include <utility>

#include "base/log.hpp"
#include "base/random_id.hpp"

namespace floodgate::cluster {
namespace {

// Uses Redis' own clock, because the clocks of the nodes may differ.
const store::redis_script& alive_script() {
    static const store::redis_script script(R"(
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZRANGE', KEYS[1], 0, -1))");
    return script;
}

milliseconds trusted(milliseconds lease) { return lease - lease / 10; }

}  // namespace

redis_leases::redis_leases(store::redis& redis, redis_leases_options options,
                           const monotonic_clock& clock)
    : redis_(redis),
      options_(std::move(options)),
      clock_(clock),
      owner_(fmt::format("{}-{}", options_.node, random_id())),
      alive_{owner_},
      keeper_(
          "leases", options_.seek_every, [this] { return keep(); }, [this] { sign_off(); }) {}

redis_leases::~redis_leases() { end(); }

void redis_leases::seek(duty d, const std::string& group) {
    auto p = std::make_unique<post>();
    p->lock = {key_of("lease:" + d.name), owner_};
    p->what = std::move(d);
    p->group = group;
    p->hand.emplace(
        "duty " + p->what.name, options_.seek_every, [this, one = p.get()] { return work(*one); },
        [this, one = p.get()] { leave(*one); });
    const std::lock_guard lock(mutex_);
    posts_.push_back(std::move(p));
}

void redis_leases::start() {
    const std::lock_guard lock(mutex_);
    if (std::exchange(started_, true)) return;
    // Each node begins with another duty; otherwise all would try to get the first one.
    std::rotate(posts_.begin(),
                posts_.begin() + static_cast<std::ptrdiff_t>(
                                     posts_.empty() ? 0 : std::random_device{}() % posts_.size()),
                posts_.end());
    for (const auto& p : posts_) {
        p->asked_at = clock_.now();
        p->hand->start();
    }
    keeper_.start();
}

void redis_leases::stop() { end(); }

// The hands first: while one of them ends its work, the keeper still renews the lock.
void redis_leases::end() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    for (const auto& p : posts_) p->hand->ask_to_stop();
    for (const auto& p : posts_) p->hand->stop();
    keeper_.stop();
}

bool redis_leases::is_held(const post& p) const {
    return p.now == stage::held && p.locked && !stopping_ && clock_.now() < p.sure_until;
}

bool redis_leases::holds(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    return std::any_of(posts_.begin(), posts_.end(),
                       [&](const auto& p) { return p->what.name == name && is_held(*p); });
}

std::vector<std::string> redis_leases::nodes_alive() const {
    const std::lock_guard lock(mutex_);
    return alive_;
}

// ---- the hand of one duty: does what its stage asks for

next_step redis_leases::work(post& p) {
    std::unique_lock lock(mutex_);
    switch (p.now) {
    case stage::raising: take_up(p, lock); return next_step::at_once();
    case stage::leaving: put_down(p, lock); return next_step::at_once();
    case stage::held: break;
    case stage::seeking: return next_step::when_woken();
    }
    // Checked here and not by the keeper, which may be waiting for a silent Redis.
    const moment now = clock_.now();
    if (p.locked && now < p.sure_until)
        return next_step::after(std::chrono::ceil<milliseconds>(p.sure_until - now));
    p.now = stage::leaving;
    return next_step::at_once();
}

void redis_leases::take_up(post& p, std::unique_lock<std::mutex>& lock) {
    lock.unlock();
    const auto number = p.what.raise();
    lock.lock();
    if (!number) {
        log::warning("cluster.duty_not_taken_up", "duty", p.what.name, "error",
                     number.error().message());
        p.seek_after = clock_.now() + options_.lease;
    }
    if (!number || !p.locked || stopping_ || clock_.now() >= p.sure_until) {
        p.now = stage::seeking;  // the keeper gives the lock back
        keeper_.wake();
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
    p.asked_at = clock_.now();
    p.now = stage::seeking;
    keeper_.wake();
}

// The hand's last act.
void redis_leases::leave(post& p) {
    std::unique_lock lock(mutex_);
    if (p.now == stage::held) p.now = stage::leaving;
    if (p.now == stage::leaving) put_down(p, lock);
    p.now = stage::seeking;
}

// ---- the keeper

next_step redis_leases::keep() {
    release_idle();
    const moment now = clock_.now();
    if (now >= renew_at_) {
        renew_at_ = now + options_.renew_every;
        renew_all();
    }
    if (now >= seek_at_) {
        seek_at_ = now + options_.seek_every;
        report_alive();
        share_out();
        try_to_seek();
    }
    const std::lock_guard lock(mutex_);
    if (has_idle_lock()) return next_step::at_once();
    const auto rest = std::min(renew_at_, seek_at_) - clock_.now();
    return next_step::after(std::chrono::ceil<milliseconds>(rest));
}

// The keeper's last act. If Redis does not answer, the locks expire by themselves.
void redis_leases::sign_off() {
    release_idle();
    (void)redis_.ask(key_of("nodes"), {"ZREM", key_of("nodes"), owner_});
}

bool redis_leases::has_idle_lock() const {
    return std::any_of(posts_.begin(), posts_.end(),
                       [](const auto& p) { return p->now == stage::seeking && p->locked; });
}

// Renews one by one: an unreachable server of a Redis Cluster must not keep the leases on other
// servers from being renewed.
void redis_leases::renew_all() {
    for (const auto& p : posts_) {
        {
            const std::lock_guard lock(mutex_);
            if (!p->locked) continue;
        }
        const moment sent = clock_.now();
        const auto renewed = renew(redis_, p->lock, options_.lease);
        if (!renewed) continue;  // sure_until stays as it is
        const std::lock_guard lock(mutex_);
        if (*renewed == lock_state::ours) {
            p->sure_until = sent + trusted(options_.lease);
        } else {
            p->locked = false;
            log::warning("cluster.lease_lost", "duty", p->what.name);
            p->hand->wake();
        }
    }
}

void redis_leases::release_idle() {
    for (const auto& p : posts_) {
        {
            const std::lock_guard lock(mutex_);
            if (!p->locked || p->now != stage::seeking) continue;
        }
        (void)release(redis_, p->lock);  // if this fails, the lock expires by itself
        const std::lock_guard lock(mutex_);
        p->locked = false;
    }
}

void redis_leases::report_alive() {
    {
        const std::lock_guard lock(mutex_);
        if (stopping_) return;
    }
    const auto said = redis_.run(alive_script(), {key_of("nodes")},
                                 {owner_, std::to_string(options_.lease.count())});
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

// A node that has its fair share still asks once in two leases, because the node that should take
// the duty may be unable to.
bool redis_leases::wants(const post& p) const {
    const moment now = clock_.now();
    if (stopping_ || p.now != stage::seeking || p.locked || now < p.seek_after) return false;
    return p.group.empty() || taken(p.group) < fair_share(p.group) ||
           now - p.asked_at > 2 * options_.lease;
}

void redis_leases::try_to_seek() {
    for (const auto& p : posts_) {
        {
            const std::lock_guard lock(mutex_);
            if (!wants(*p)) continue;
        }
        const moment sent = clock_.now();
        const auto got = take(redis_, p->lock, options_.lease);
        const std::lock_guard lock(mutex_);
        p->asked_at = clock_.now();
        if (!got || *got != lock_state::ours) continue;
        p->locked = true;
        p->sure_until = sent + trusted(options_.lease);
        p->now = stage::raising;
        p->hand->wake();
    }
}

// Gives up one duty of each group at a time; the other nodes take it.
void redis_leases::share_out() {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> done;
    for (auto it = posts_.rbegin(); it != posts_.rend(); ++it) {
        post& p = **it;
        if (p.group.empty() || p.now != stage::held) continue;
        if (std::find(done.begin(), done.end(), p.group) != done.end()) continue;
        if (taken(p.group) <= fair_share(p.group)) continue;
        p.now = stage::leaving;
        p.hand->wake();
        done.push_back(p.group);
    }
}

}  // namespace floodgate::cluster
