#include "gate/redis_lane.hpp"

#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "gate/take_script.hpp"

namespace floodgate::gate {
namespace {

using outcome = store::async_redis::outcome;
using std::chrono::steady_clock;

constexpr std::size_t calls_max = 1;  // under way for one partition: docs/gate.md says why
constexpr milliseconds try_again_after{20}, complaint_pause{1000};

}  // namespace

redis_lane::redis_lane(const store::redis_options& redis, lane_world world)
    : world_(world),
      redis_(redis),
      claims_(redis_, world.keys, world.options,
              [this](const waiting_attempt& a, intent_claims::outcome found) {
                  on_claim(a.what, found);
              }),
      view_(world.refusals),
      partitions_(world.options.partitions) {}

void redis_lane::submit(std::span<const sale::attempt> attempts, instant now) {
    now_ = now;
    view_.renew();
    const std::size_t told = verdicts_.size();
    const time deadline = steady_clock::now() + world_.options.answer_within;
    for (const sale::attempt& a : attempts) gather(a, now, deadline);
    count(told);
    send_waiting();
}

void redis_lane::send_waiting() {
    if (std::exchange(claims_moved_, false)) claims_.send();
    for (std::uint32_t p = 0; p < partitions_.size(); ++p)
        if (!partitions_[p].waiting.empty()) send_next({p});
    redis_.send();
}

void redis_lane::gather(const sale::attempt& a, instant now, time deadline) {
    if (const auto refusal = view_.refuse(a, now)) {
        verdicts_.push_back(*refusal);
        world_.counters.cached_refusals.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    if (waiting_ >= world_.options.waiting_max) return tell_busy(a);
    if (a.key == sale::no_key) return enqueue(a, deadline);
    if (!claims_.add({a, deadline, {}})) {
        world_.counters.unanswered.fetch_add(1, std::memory_order_relaxed);
        return tell_busy(a);
    }
    ++waiting_;
    claims_moved_ = true;
}

void redis_lane::enqueue(const sale::attempt& a, time deadline) {
    gathering& at = partitions_[world_.keys.home_of(a.sale).number];
    if (at.failing && at.calls > 0) {
        world_.counters.unanswered.fetch_add(1, std::memory_order_relaxed);
        return tell_busy(a);
    }
    at.waiting.push_back({a, deadline, {}});
    ++waiting_;
}

// An attempt whose key is claimed joins those without a key and gets a full answer_within from now,
// because a call's deadline is that of its oldest attempt.
void redis_lane::on_claim(const sale::attempt& a, intent_claims::outcome found) {
    --waiting_;
    claims_moved_ = true;
    const std::size_t before = verdicts_.size();
    switch (found) {
    case intent_claims::outcome::granted:
        enqueue(a, steady_clock::now() + world_.options.answer_within);
        break;
    case intent_claims::outcome::refused:
        verdicts_.push_back({.reply_to = a.reply_to, .what = sale::answer::key_reused});
        break;
    case intent_claims::outcome::unanswered:
        world_.counters.unanswered.fetch_add(1, std::memory_order_relaxed);
        tell_busy(a);
        break;
    }
    count(before);
}

void redis_lane::keep_keys(const take_call& call, std::size_t first_verdict) {
    for (std::size_t i = 0; i < call.attempts.size(); ++i) {
        const sale::attempt& a = call.attempts[i].what;
        if (a.key == sale::no_key) continue;
        const sale::answer what = verdicts_[first_verdict + i].what;
        if (what != sale::answer::accepted && what != sale::answer::repeated &&
            what != sale::answer::undecided)
            continue;
        claims_.keep(a);
        claims_moved_ = true;
    }
}

void redis_lane::collect(std::vector<sale::verdict>& out) {
    redis_.turn();
    if (claims_moved_) send_waiting();
    out.insert(out.end(), verdicts_.begin(), verdicts_.end());
    verdicts_.clear();
}

void redis_lane::send_next(sale::partition p) {
    gathering& at = partitions_[p.number];
    const time now = steady_clock::now();
    const std::size_t before = verdicts_.size();
    while (!at.waiting.empty() && at.waiting.front().deadline <= now) {
        tell_busy(at.waiting.front().what);
        world_.counters.unanswered.fetch_add(1, std::memory_order_relaxed);
        at.waiting.pop_front();
        --waiting_;
    }
    count(before);
    if (at.waiting.empty() || at.calls >= calls_max) return;
    const std::size_t n = std::min(at.waiting.size(), world_.options.batch_max);
    auto call = std::make_shared<take_call>();
    call->at = p;
    call->attempts.assign(at.waiting.begin(), at.waiting.begin() + static_cast<std::ptrdiff_t>(n));
    at.waiting.erase(at.waiting.begin(), at.waiting.begin() + static_cast<std::ptrdiff_t>(n));
    call->group();
    world_.numbers.give(call->attempts, now_);
    ++at.calls;
    send(std::move(call), {});
}

void redis_lane::send(std::shared_ptr<take_call> call, time not_before) {
    const auto oldest = std::ranges::min_element(call->attempts, {}, &waiting_attempt::deadline);
    store::async_redis::call c;
    c.command.script = &scripts::take();
    c.command.key = world_.keys.gate(call->at);
    c.command.what = call->words(world_.keys, {.now = now_,
                                               .backlog_max = world_.options.backlog_max,
                                               .seen = world_.places.latest(call->at)});
    c.deadline = oldest->deadline;
    c.not_before = not_before;
    c.done = [this, call = std::move(call)](outcome what, const store::redis_reply& reply) {
        on_done(call, what, reply);
    };
    world_.counters.calls.fetch_add(1, std::memory_order_relaxed);
    redis_.run(std::move(c));
}

void redis_lane::on_done(const std::shared_ptr<take_call>& call, outcome what,
                         const store::redis_reply& reply) {
    const auto ends = std::ranges::min(call->attempts, {}, &waiting_attempt::deadline).deadline;
    const time now = steady_clock::now();
    const bool may_try_again = what == outcome::not_executed || what == outcome::unknown;
    if (may_try_again && now + try_again_after < ends) {
        // The order numbers stay the same; by them the script finds what the first call promised.
        call->resent = call->resent || what == outcome::unknown;
        return send(call, now + try_again_after);
    }
    waiting_ -= call->attempts.size();
    const std::size_t before = verdicts_.size();
    if (what == outcome::replied) {
        on_reply(*call, reply);
    } else {
        tell_without_verdicts(*call, what != outcome::not_executed);
        world_.counters.unanswered.fetch_add(call->attempts.size(), std::memory_order_relaxed);
    }
    count(before);
    keep_keys(*call, before);
    finish(call->at, what != outcome::replied);
}

void redis_lane::on_reply(const take_call& call, const store::redis_reply& reply) {
    const std::size_t before = verdicts_.size();
    const bool has_text = reply.what == store::redis_reply::kind::text;
    if (has_text) {
        if (reply.text.empty()) return tell_without_verdicts(call, false);  // not warmed
        if (const auto place = call.read(reply.text, verdicts_)) {
            world_.places.hear(call.at, *place);
            sale::sale_id last{};
            for (std::size_t i = 0; i < call.attempts.size(); ++i) {
                const sale::sale_id id = call.attempts[i].what.sale;
                if (id != last && view_.note(id, verdicts_[before + i].what)) last = id;
            }
            return;
        }
    }
    complain(call.at, reply.text);
    // A script that ends with an error has written nothing, and neither has one that found promises
    // missing. Any other text is a reply that this version cannot read.
    tell_without_verdicts(call, has_text && !reply.text.starts_with(schema::went_back));
}

// Logged at most once in `complaint_pause`, because buyers who are refused try again at once.
void redis_lane::complain(sale::partition p, std::string_view about) {
    const time now = steady_clock::now();
    if (now - complained_at_ < complaint_pause) return;
    complained_at_ = now;
    if (about.starts_with(schema::went_back)) {
        log::error("gate.went_back", "partition", p.number, "to", about.substr(1));
    } else {
        log::warning("gate.refused_by_redis", "partition", p.number, "said", about);
    }
}

void redis_lane::finish(sale::partition p, bool in_vain) {
    gathering& at = partitions_[p.number];
    at.failing = in_vain;
    --at.calls;
    if (!at.waiting.empty()) send_next(p);
}

void redis_lane::tell_without_verdicts(const take_call& call, bool perhaps_executed) {
    const bool undecided = perhaps_executed || call.resent;
    for (const waiting_attempt& a : call.attempts) {
        if (undecided) {
            verdicts_.push_back(
                {.reply_to = a.what.reply_to, .what = sale::answer::undecided, .order = a.order});
        } else {
            tell_busy(a.what);
        }
    }
}

void redis_lane::tell_busy(const sale::attempt& a) {
    verdicts_.push_back({.reply_to = a.reply_to, .what = sale::answer::busy});
}

void redis_lane::count(std::size_t first) {
    std::array<std::uint64_t, sale::answers + 1> fresh{};
    for (std::size_t i = first; i < verdicts_.size(); ++i)
        ++fresh[static_cast<std::size_t>(verdicts_[i].what)];
    for (std::size_t i = 0; i < fresh.size(); ++i)
        if (fresh[i] > 0)
            world_.counters.by_answer[i].fetch_add(fresh[i], std::memory_order_relaxed);
}

}  // namespace floodgate::gate
