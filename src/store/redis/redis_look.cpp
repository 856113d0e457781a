// The look at every server before it is relied on: see redis::look.

#include <algorithm>

#include "store/redis/redis_facts.hpp"
#include "store/redis/redis_pool.hpp"

namespace floodgate::store {
namespace {

redis_reply demand(redis_wire& wire, const words& command, const redis_options& options) {
    const auto deadline = steady::now() + options.command_timeout;
    wire.append(command);
    wire.flush(deadline);
    auto reply = wire.receive(deadline);
    if (!reply)
        throw redis_failure(redis_failure::kind::unreachable,
                            wire.address() + " (Redis) does not answer");
    if (reply->what != redis_reply::kind::error) return std::move(*reply);
    if (reply->text.starts_with("NOAUTH"))
        throw redis_failure(redis_failure::kind::refused,
                            wire.address() + " (Redis) wants a password, and none is configured");
    if (reply->text.starts_with("LOADING"))
        throw redis_failure(redis_failure::kind::loading,
                            wire.address() + " (Redis) is still loading its data");
    return std::move(*reply);
}

// Nothing: it may not be read.
std::string setting(redis_wire& wire, const char* name, const redis_options& options) {
    const redis_reply reply = demand(wire, {"CONFIG", "GET", name}, options);
    return reply.items.size() == 2 ? reply.items[1].text : std::string();
}

milliseconds clock_apart(redis_wire& wire, const redis_options& options) {
    const wall_clock here;
    const instant before = here.now();
    const redis_reply time = demand(wire, {"TIME"}, options);
    const instant after = here.now();
    if (time.items.size() != 2) return milliseconds(0);
    const auto theirs =
        from_ms(std::stoll(time.items[0].text) * 1000 + std::stoll(time.items[1].text) / 1000);
    return theirs - (before + (after - before) / 2);
}

redis_facts facts_of(redis_wire& wire, const redis_options& options) {
    const redis_reply info = demand(wire, {"INFO"}, options);
    if (info.what == redis_reply::kind::error)
        throw std::runtime_error(wire.address() + " (Redis): " + info.text);
    redis_facts facts = read_redis_info(info.text);
    demand_redis_7(facts, wire.address());
    const bool is_cluster = info_field(info.text, "redis_mode") == "cluster";
    if (is_cluster && !options.cluster)
        throw std::runtime_error(wire.address() +
                                 " (Redis) is part of a Redis Cluster, and none is configured");
    if (!is_cluster && options.cluster)
        throw std::runtime_error(wire.address() +
                                 " (Redis) is not part of a Redis Cluster, and one is configured");
    facts.append_fsync = setting(wire, "appendfsync", options);
    facts.eviction = info_field(info.text, "maxmemory_policy");
    facts.clock_apart = clock_apart(wire, options);
    return facts;
}

// Unreachable ones are passed over as long as another answers; what is wrong with the first is
// what is told in the end.
template <class Visit>
void visit_first(const redis_options& options, Visit visit) {
    std::string first_why;
    for (const std::string& address : options.addresses) {
        try {
            redis_wire wire(address, options);
            if (visit(wire)) return;
        } catch (const redis_failure& e) {
            if (e.what_went_wrong() == redis_failure::kind::refused) throw;
            if (first_why.empty()) first_why = e.what();
        }
    }
    if (first_why.empty()) first_why = "none of the configured Redis servers is a master";
    throw std::runtime_error(first_why);
}

redis_facts look_at_one(const redis_options& options) {
    redis_facts facts;
    visit_first(options, [&](redis_wire& wire) {
        facts = facts_of(wire, options);
        if (options.addresses.size() == 1) return true;
        const redis_reply role = demand(wire, {"ROLE"}, options);
        return !role.items.empty() && role.items.front().text == "master";
    });
    return facts;
}

redis_facts look_at_cluster(const redis_options& options) {
    std::vector<std::string> masters;
    redis_facts facts;
    visit_first(options, [&](redis_wire& wire) {
        facts = facts_of(wire, options);
        const auto slots =
            redis_slots::from(demand(wire, {"CLUSTER", "SLOTS"}, options), wire.address());
        if (!slots || !slots->complete())
            throw std::runtime_error("the Redis Cluster of " + wire.address() +
                                     " is not complete: some slots belong to nobody");
        masters = slots->masters();
        return true;
    });
    bool first = true;
    for (const std::string& address : masters) {
        redis_wire wire(address, options);
        const redis_facts one = facts_of(wire, options);
        facts = first ? one : weaker(facts, one);
        first = false;
    }
    return facts;
}

}  // namespace

redis_facts look_at_redis(redis::pool& pool) {
    const redis_options& options = pool.servers.options();
    return options.cluster ? look_at_cluster(options) : look_at_one(options);
}

}  // namespace floodgate::store
