#include "gate/redis_turnstile.hpp"

#include <algorithm>
#include <cassert>

#include "gate/pending_releases.hpp"
#include "gate/rebuild.hpp"
#include "gate/redis_lane.hpp"
#include "gate/scripts.hpp"

namespace floodgate::gate {
namespace {

using store::number_or_zero;

constexpr std::int64_t read_at_once_max = 50'000;  // buyers; more are read in steps
constexpr std::size_t batch_max_max = 1000;        // Lua cannot unpack much more at once

redis_turnstile_options checked(redis_turnstile_options o) {
    assert(o.partitions > 0 && o.partitions <= sale::partitions_max);
    o.batch_max = std::clamp<std::size_t>(o.batch_max, 1, batch_max_max);
    return o;
}

void append_held(const std::vector<store::redis_reply>& pairs, std::vector<held_unit>& out) {
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2)
        for (const packed_order& o : unpack_orders(pairs[i + 1].text))
            out.push_back({unpack_buyer(pairs[i].text), o.order, o.quantity});
}

}  // namespace

class redis_turnstile::impl {
public:
    impl(store::redis& with, redis_turnstile_options o, std::function<void(sale::sale_id)> lifted,
         const monotonic_clock& clock)
        : redis(with),
          options(checked(std::move(o))),
          keys(options.name, options.partitions),
          refusals(redis, keys, options.refusal_max_age, clock),
          numbers(options.node),
          places(options.partitions),
          keeper(redis, keys, options.key_kept_for),
          given_back(redis, keys, refusals, std::move(lifted)) {}

    store::redis& redis;
    const redis_turnstile_options options;
    const gate_keys keys;
    refusal_cache refusals;
    shared_numbers numbers;
    heard_places places;
    lane_counters counters;
    rebuild keeper;
    pending_releases given_back;
};

redis_turnstile::redis_turnstile(store::redis& redis, redis_turnstile_options options,
                                 std::function<void(sale::sale_id)> lifted,
                                 const monotonic_clock& clock)
    : impl_(std::make_unique<impl>(redis, std::move(options), std::move(lifted), clock)) {}

redis_turnstile::~redis_turnstile() = default;

std::unique_ptr<lane> redis_turnstile::open_lane(std::function<void()> /*wake*/) {
    const lane_world world{impl_->options,  impl_->keys,   impl_->numbers,
                           impl_->refusals, impl_->places, impl_->counters};
    return std::make_unique<redis_lane>(impl_->redis.options(), world);
}

result<void> redis_turnstile::warm_up(const sale::sale& s) {
    const auto done = impl_->keeper.load("", s);
    if (done) impl_->refusals.lift(s.id);
    return done;
}

result<void> redis_turnstile::forget(const sale::sale& s) {
    const auto done = impl_->keeper.forget(s);
    if (done) impl_->refusals.lift(s.id);
    return done;
}

void redis_turnstile::release(const returned& r) { impl_->given_back.release(r); }

void redis_turnstile::skip_past(sale::order_no seen) { impl_->numbers.skip_past(seen); }

void redis_turnstile::release_all(std::span<const returned> orders) {
    impl_->given_back.release_all(orders);
}

std::optional<standing> redis_turnstile::look_up(sale::sale_id sale) {
    return look_up_all({&sale, 1}).front();
}

std::vector<std::optional<standing>> redis_turnstile::look_up_all(
    std::span<const sale::sale_id> ids) {
    std::vector<std::optional<standing>> out(ids.size());
    std::vector<store::redis::command> commands;
    for (const sale::sale_id id : ids) {
        const std::string gate = impl_->keys.gate(impl_->keys.home_of(id));
        const sale_keys of = impl_->keys.of(id);
        commands.push_back(store::to_run(scripts::look(), {gate, of.sale, of.buyers}, {}));
    }
    if (commands.empty()) return out;
    const auto replies = impl_->redis.ask_all(commands);
    if (!replies) return out;
    constexpr std::size_t fields = 6;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto& f = (*replies)[i].items;
        if (f.size() != fields) continue;
        out[i] = standing{.stock = number_or_zero(f[0]),
                          .taken = number_or_zero(f[1]) - number_or_zero(f[2]),
                          .buyers = static_cast<std::uint64_t>(number_or_zero(f[4])),
                          .bytes = static_cast<std::uint64_t>(number_or_zero(f[5])),
                          .given = number_or_zero(f[1]),
                          .returned = number_or_zero(f[2]),
                          .largest = static_cast<std::uint32_t>(number_or_zero(f[3]))};
    }
    return out;
}

std::vector<turnstile::promised> redis_turnstile::promised_to(sale::user_id buyer) {
    std::vector<promised> out;
    std::vector<store::redis::command> commands;
    for (std::uint32_t p = 0; p < impl_->options.partitions; ++p) {
        const std::string sales = impl_->keys.sales({p});
        commands.push_back({sales, {"SMEMBERS", sales}});
    }
    const auto loaded = impl_->redis.ask_all(commands);
    if (!loaded) return out;
    commands.clear();
    std::vector<sale::sale_id> ids;
    for (const store::redis_reply& of_partition : *loaded) {
        for (const store::redis_reply& id : of_partition.items) {
            ids.push_back({number_or_zero(id)});
            const std::string key = impl_->keys.of(ids.back()).buyers;
            commands.push_back({key, {"HGET", key, packed(buyer)}});
        }
    }
    if (ids.empty()) return out;
    const auto orders = impl_->redis.ask_all(commands);
    if (!orders) return out;
    for (std::size_t i = 0; i < ids.size(); ++i)
        for (const packed_order& o : unpack_orders((*orders)[i].text))
            out.push_back({ids[i], o.order, o.quantity});
    std::ranges::sort(out, std::greater<>{}, &promised::order);
    return out;
}

std::vector<held_unit> redis_turnstile::held_in(sale::sale_id sale) {
    std::vector<held_unit> out;
    const std::string key = impl_->keys.of(sale).buyers;
    const auto many = impl_->redis.ask(key, {"HLEN", key});
    if (!many) return out;
    if (many->integer <= read_at_once_max) {
        const auto all = impl_->redis.ask(key, {"HGETALL", key});
        if (all) append_held(all->items, out);
    } else {
        std::string cursor = "0";
        do {
            const auto step = impl_->redis.ask(key, {"HSCAN", key, cursor, "COUNT", "5000"});
            if (!step || step->items.size() != 2) return {};
            cursor = step->items[0].text;
            append_held(step->items[1].items, out);
        } while (cursor != "0");
    }
    std::ranges::sort(out, {}, &held_unit::order);
    const auto same = [](const held_unit& a, const held_unit& b) { return a.order == b.order; };
    out.erase(std::unique(out.begin(), out.end(), same), out.end());  // a step may repeat some
    return out;
}

result<void> redis_turnstile::retake(const sale::promise& p) {
    const sale_keys of = impl_->keys.of(p.sale);
    const std::string gate = impl_->keys.gate(impl_->keys.home_of(p.sale));
    return run_step(impl_->redis, scripts::retake(), {gate, of.sale, of.buyers, of.keys},
                    {packed(p)});
}

void redis_turnstile::lift(sale::sale_id sale) { impl_->refusals.lift(sale); }

redis_turnstile::counts redis_turnstile::read_counts() const {
    counts out;
    const lane_counters& from = impl_->counters;
    for (std::size_t i = 0; i < out.by_answer.size(); ++i) out.by_answer[i] = from.by_answer[i];
    out.calls = from.calls;
    out.unanswered = from.unanswered;
    out.cached_refusals = from.cached_refusals;
    out.to_release = impl_->given_back.waiting();
    return out;
}

result<partition_state> redis_turnstile::state_of(sale::partition p) {
    return impl_->keeper.state_of(p);
}

result<void> redis_turnstile::close(sale::partition p) { return impl_->keeper.close(p); }

result<void> redis_turnstile::begin(sale::partition p, std::uint64_t epoch) {
    return impl_->keeper.begin(p, epoch);
}

result<void> redis_turnstile::load(std::uint64_t epoch, const sale::sale& s) {
    return impl_->keeper.load(std::to_string(epoch), s);
}

result<void> redis_turnstile::put_down(sale::partition p, std::uint64_t epoch,
                                       std::span<const sale::promise> held) {
    return impl_->keeper.put_down(p, epoch, held, false);
}

result<void> redis_turnstile::put_down_keys(sale::partition p, std::uint64_t epoch,
                                            std::span<const sale::promise> spent) {
    return impl_->keeper.put_down(p, epoch, spent, true);
}

result<void> redis_turnstile::put_down_cooling(std::uint64_t epoch, sale::sale_id sale, instant now,
                                               std::span<const cooling_buyer> cooling) {
    return impl_->keeper.put_down_cooling(epoch, sale, now, cooling);
}

result<void> redis_turnstile::open(sale::partition p, std::uint64_t epoch) {
    return impl_->keeper.open(p, epoch);
}

}  // namespace floodgate::gate
