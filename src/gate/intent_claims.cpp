#include "gate/intent_claims.hpp"

#include <algorithm>

#include "gate/scripts.hpp"

namespace floodgate::gate {
namespace {

using std::chrono::steady_clock;

// After a failed call: the pause before the same call is repeated, and before a new one is sent.
constexpr milliseconds try_again_after{20}, pause_after_failure{50};
constexpr std::size_t kept_max = 100'000;  // in one partition; further ones are dropped

// The value of a key in Redis: the sale that the key stands for.
std::string sale_text(const sale::attempt& a) { return std::to_string(a.sale.value); }

}  // namespace

intent_claims::intent_claims(store::async_redis& redis, const gate_keys& keys,
                             const redis_turnstile_options& options, listener told)
    : redis_(redis),
      keys_(keys),
      options_(options),
      told_(std::move(told)),
      partitions_(options.partitions) {}

bool intent_claims::add(const waiting_attempt& a) {
    gathering& at = partitions_[keys_.home_of(a.what.key).number];
    if (at.failing && at.under_way) return false;
    at.claims.push_back(a);
    return true;
}

void intent_claims::keep(const sale::attempt& a) {
    gathering& at = partitions_[keys_.home_of(a.key).number];
    if (at.kept.size() < kept_max) at.kept.push_back(a);
}

void intent_claims::send() {
    for (std::uint32_t p = 0; p < partitions_.size(); ++p) send_next({p});
}

void intent_claims::tell_overdue(gathering& at, time now) {
    while (!at.claims.empty() && at.claims.front().deadline <= now) {
        const waiting_attempt late = at.claims.front();
        at.claims.pop_front();
        told_(late, outcome::unanswered);
    }
}

void intent_claims::send_next(sale::partition p) {
    gathering& at = partitions_[p.number];
    if (at.under_way || (at.claims.empty() && at.kept.empty())) return;
    const time now = steady_clock::now();
    tell_overdue(at, now);
    const auto c = std::make_shared<call>();
    c->at = p;
    while (!at.claims.empty() && c->claims.size() < options_.batch_max) {
        c->claims.push_back(at.claims.front());
        at.claims.pop_front();
    }
    while (!at.kept.empty() && c->kept.size() < options_.batch_max) {
        c->kept.push_back(at.kept.back());
        at.kept.pop_back();
    }
    if (c->claims.empty() && c->kept.empty()) return;
    at.under_way = true;
    run(c, at.failing ? now + pause_after_failure : time());
}

intent_claims::time intent_claims::deadline_of(const call& c) const {
    const auto oldest = std::ranges::min_element(c.claims, {}, &waiting_attempt::deadline);
    return oldest != c.claims.end() ? oldest->deadline
                                    : steady_clock::now() + options_.answer_within;
}

void intent_claims::run(const std::shared_ptr<call>& c, time not_before) {
    store::words keys, arguments;
    arguments.add(options_.key_claimed_for.count());
    arguments.add(options_.key_kept_for.count());
    arguments.add(static_cast<std::int64_t>(c->claims.size()));
    const auto name = [&](const sale::attempt& a) {
        keys.add(keys_.intent(a.key));
        arguments.add(sale_text(a));
    };
    for (const waiting_attempt& a : c->claims) name(a.what);
    for (const sale::attempt& a : c->kept) name(a);
    store::async_redis::call outgoing;
    outgoing.command = store::to_run(scripts::claim(), keys, arguments);
    outgoing.deadline = deadline_of(*c);
    outgoing.not_before = not_before;
    outgoing.done = [this, c](store::async_redis::outcome what, const store::redis_reply& reply) {
        on_done(c, what, reply);
    };
    redis_.run(std::move(outgoing));
}

// A claim may be sent again: it finds its own sale under the keys that the first call has claimed.
void intent_claims::on_done(const std::shared_ptr<call>& c, store::async_redis::outcome what,
                            const store::redis_reply& reply) {
    using enum store::async_redis::outcome;
    const time now = steady_clock::now();
    const bool may_try_again = !c->claims.empty() && (what == not_executed || what == unknown);
    if (may_try_again && now + try_again_after < deadline_of(*c))
        return run(c, now + try_again_after);
    gathering& at = partitions_[c->at.number];
    at.under_way = false;
    at.failing = what != replied || !on_reply(*c, reply);
    if (at.failing) {
        failures_.failed(what == replied ? reply.text : "no answer");
        on_failure(*c);
    } else {
        failures_.succeeded();
    }
    send_next(c->at);
}

// False: the reply is not that of the claim script, but an error.
bool intent_claims::on_reply(const call& c, const store::redis_reply& reply) {
    if (reply.what != store::redis_reply::kind::array || reply.items.size() != c.claims.size())
        return false;
    for (std::size_t i = 0; i < c.claims.size(); ++i) {
        const waiting_attempt& a = c.claims[i];
        const store::redis_reply& before = reply.items[i];
        const bool ours = before.is_nil() || before.text == sale_text(a.what);
        told_(a, ours ? outcome::granted : outcome::refused);
    }
    return true;
}

// The keys that are to be kept go with the next call.
void intent_claims::on_failure(const call& c) {
    for (const waiting_attempt& a : c.claims) told_(a, outcome::unanswered);
    for (const sale::attempt& a : c.kept) keep(a);
}

}  // namespace floodgate::gate
