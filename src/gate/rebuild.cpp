#include "gate/rebuild.hpp"

#include <algorithm>

#include "gate/scripts.hpp"

namespace floodgate::gate {
namespace {

namespace field = schema::field;

constexpr std::size_t orders_per_call = 500;

std::uint64_t count_in(const store::redis_reply& r) {
    return static_cast<std::uint64_t>(store::number_or_zero(r));
}

}  // namespace

result<void> run_step(store::redis& redis, const store::redis_script& script,
                      const store::words& keys, const store::words& arguments) {
    const auto said = redis.run(script, keys, arguments);
    if (!said) return said.error();
    const std::string_view word = said->text;
    if (word == schema::said::ok || word == schema::said::absent) return {};
    if (word == schema::said::fenced) return make_error_code(errc::fenced);
    if (word == schema::said::conflict) return make_error_code(errc::conflict);
    if (word == schema::said::missing) return make_error_code(errc::not_found);
    return make_error_code(errc::store_unavailable);  // `closed`: the partition is being rebuilt
}

result<partition_state> rebuild::state_of(sale::partition p) {
    const std::string gate = keys_.gate(p);
    const auto found =
        redis_.ask(gate, {"HMGET", gate, field::epoch, field::open, field::seq, field::entered});
    if (!found) return found.error();
    constexpr std::size_t fields = 4;
    if (found->items.size() != fields) return make_error_code(errc::corrupt);
    return partition_state{.epoch = count_in(found->items[0]),
                           .open = found->items[1].text == schema::is_open,
                           .appended = count_in(found->items[2]),
                           .entered = count_in(found->items[3])};
}

result<void> rebuild::close(sale::partition p) {
    return run_step(redis_, scripts::close(), {keys_.gate(p)}, {});
}

result<void> rebuild::begin(sale::partition p, std::uint64_t epoch) {
    const std::string gate = keys_.gate(p), sales = keys_.sales(p), term = std::to_string(epoch);
    if (const auto begun = run_step(redis_, scripts::begin(), {gate, keys_.freed(p)}, {term});
        !begun)
        return begun.error();
    const auto loaded = redis_.ask(sales, {"SMEMBERS", sales});
    if (!loaded) return loaded.error();
    for (const store::redis_reply& id : loaded->items) {
        const sale_keys of = keys_.of({store::number_or_zero(id)});
        const auto gone =
            run_step(redis_, scripts::forget(),
                     {gate, sales, of.sale, of.buyers, of.keys, of.cooling}, {term, id.text});
        if (!gone) return gone.error();
    }
    return {};
}

result<void> rebuild::load(const std::string& epoch, const sale::sale& s) {
    const sale::partition p = keys_.home_of(s.id);
    return run_step(
        redis_, scripts::load(), {keys_.gate(p), keys_.sales(p), keys_.of(s.id).sale},
        {epoch, std::to_string(s.id.value), std::to_string(s.revision), std::to_string(s.stock),
         field::state, std::string(1, schema::digit_of(s.state)),  //
         field::starts, std::to_string(to_ms(s.starts_at)),        //
         field::ends, std::to_string(to_ms(s.ends_at)),            //
         field::limit, std::to_string(s.limit),                    //
         field::price, packed_price(s.price, s.price_points)});
}

result<void> rebuild::forget(const sale::sale& s) {
    const sale::partition p = keys_.home_of(s.id);
    const sale_keys of = keys_.of(s.id);
    return run_step(redis_, scripts::forget_sale(),
                    {keys_.gate(p), keys_.sales(p), of.sale, of.buyers, of.keys, of.cooling},
                    {std::to_string(s.revision), std::to_string(s.id.value)});
}

result<void> rebuild::put_down(sale::partition p, std::uint64_t epoch,
                               std::span<const sale::promise> promises, bool only_keys) {
    while (!promises.empty()) {
        const std::size_t n = std::min(promises.size(), orders_per_call);
        const auto done = put_down_some(p, epoch, promises.first(n), only_keys);
        if (!done) return done;
        if (const auto kept = keep_intents(promises.first(n)); !kept) return kept;
        promises = promises.subspan(n);
    }
    return {};
}

result<void> rebuild::put_down_some(sale::partition p, std::uint64_t epoch,
                                    std::span<const sale::promise> promises, bool only_keys) {
    // By sale, then by order number, because a buyer's latest order must stand last.
    std::vector<sale::promise> sorted(promises.begin(), promises.end());
    std::ranges::sort(sorted, [](const auto& a, const auto& b) {
        return std::tie(a.sale, a.order) < std::tie(b.sale, b.order);
    });
    store::words keys{keys_.gate(p), keys_.freed(p)};
    store::words arguments{std::to_string(epoch), only_keys ? "1" : "0"};
    for (auto first = sorted.begin(); first != sorted.end();) {
        const sale::sale_id id = first->sale;
        const auto last =
            std::find_if(first, sorted.end(), [&](const auto& q) { return q.sale != id; });
        const sale_keys of = keys_.of(id);
        keys.append({of.sale, of.buyers, of.keys});
        arguments.add(last - first);
        for (; first != last; ++first) arguments.add(packed(*first));
    }
    return run_step(redis_, scripts::put_down(), keys, arguments);
}

result<void> rebuild::put_down_cooling(std::uint64_t epoch, sale::sale_id sale, instant now,
                                       std::span<const cooling_buyer> cooling) {
    const sale_keys of = keys_.of(sale);
    const store::words keys{keys_.gate(keys_.home_of(sale)), of.sale, of.cooling};
    do {
        const auto some = cooling.first(std::min(cooling.size(), orders_per_call));
        store::words arguments{std::to_string(epoch), std::to_string(to_ms(now))};
        for (const cooling_buyer& b : some)
            arguments.append({std::to_string(to_ms(b.until)), packed(b.buyer)});
        const auto done = run_step(redis_, scripts::put_down_cooling(), keys, arguments);
        if (!done) return done;
        cooling = cooling.subspan(some.size());
    } while (!cooling.empty());
    return {};
}

// Claims the promises' keys for their sales again, in case Redis lost them: see intent_claims.hpp.
result<void> rebuild::keep_intents(std::span<const sale::promise> promises) {
    const std::string kept_for = std::to_string(key_kept_for_.count());
    std::vector<store::redis::command> commands;
    for (const sale::promise& p : promises) {
        if (p.key == sale::no_key) continue;
        const std::string key = keys_.intent(p.key), of = std::to_string(p.sale.value);
        commands.push_back({key, {"SET", key, of, "PX", kept_for}});
    }
    if (commands.empty()) return {};
    const auto replies = redis_.ask_all(commands);
    if (!replies) return replies.error();
    const bool refused = std::ranges::any_of(*replies, &store::redis_reply::is_error);
    if (refused) return make_error_code(errc::store_unavailable);
    return {};
}

result<void> rebuild::open(sale::partition p, std::uint64_t epoch) {
    return run_step(redis_, scripts::open(), {keys_.gate(p), keys_.freed(p)},
                    {std::to_string(epoch)});
}

}  // namespace floodgate::gate
