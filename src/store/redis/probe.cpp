// The look at every server before it is relied on: see probe_redis.

#include "store/redis/connection.hpp"
#include "store/redis/facts.hpp"
#include "store/redis/handshake.hpp"
#include "store/redis/slots.hpp"

namespace floodgate::store {
namespace {

redis_reply demand(redis_connection& from, words command, const redis_options& options) {
    auto reply = from.ask({.key = {}, .what = std::move(command)}, {},
                          steady::now() + options.command_timeout);
    if (!reply)
        throw redis_failure(redis_failure::kind::unreachable,
                            from.address() + " (Redis) does not answer");
    if (reply->text.starts_with("NOAUTH") || reply->text.starts_with("LOADING"))
        throw to_failure(from.address(), *reply);
    return std::move(*reply);
}

// Empty: the setting may not be read.
std::string setting(redis_connection& server, const char* name, const redis_options& options) {
    const redis_reply reply = demand(server, {"CONFIG", "GET", name}, options);
    return reply.items.size() == 2 ? reply.items[1].text : std::string();
}

milliseconds clock_apart(redis_connection& server, const redis_options& options) {
    const wall_clock here;
    const instant before = here.now();
    const redis_reply time = demand(server, {"TIME"}, options);
    const instant after = here.now();
    if (time.items.size() != 2) return milliseconds(0);
    const auto theirs =
        from_ms(std::stoll(time.items[0].text) * 1000 + std::stoll(time.items[1].text) / 1000);
    return theirs - (before + (after - before) / 2);
}

redis_facts facts_of(redis_connection& server, const redis_options& options) {
    const redis_reply info = demand(server, {"INFO"}, options);
    if (info.is_error()) throw std::runtime_error(server.address() + " (Redis): " + info.text);
    redis_facts facts = read_redis_info(info.text);
    demand_redis_7(facts, server.address());
    const bool is_cluster = info_field(info.text, "redis_mode") == "cluster";
    if (is_cluster && !options.cluster)
        throw std::runtime_error(server.address() +
                                 " (Redis) is part of a Redis Cluster, and none is configured");
    if (!is_cluster && options.cluster)
        throw std::runtime_error(server.address() +
                                 " (Redis) is not part of a Redis Cluster, and one is configured");
    facts.append_fsync = setting(server, "appendfsync", options);
    facts.eviction = info_field(info.text, "maxmemory_policy");
    facts.clock_apart = clock_apart(server, options);
    return facts;
}

// Skips servers that cannot be reached, as long as another one answers. If none does, the error
// says what is wrong with the first.
template <class Visit>
void visit_first(const redis_options& options, Visit visit) {
    std::string first_why;
    for (const std::string& address : options.addresses) {
        try {
            redis_connection server(address, options);
            if (visit(server)) return;
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
    visit_first(options, [&](redis_connection& server) {
        facts = facts_of(server, options);
        if (options.addresses.size() == 1) return true;
        return is_master(demand(server, {"ROLE"}, options));
    });
    return facts;
}

redis_facts look_at_cluster(const redis_options& options) {
    std::vector<std::string> masters;
    redis_facts facts;
    visit_first(options, [&](redis_connection& server) {
        facts = facts_of(server, options);
        const auto slots =
            redis_slots::from(demand(server, {"CLUSTER", "SLOTS"}, options), server.address());
        if (!slots || !slots->complete())
            throw std::runtime_error("the Redis Cluster of " + server.address() +
                                     " is not complete: some slots belong to nobody");
        masters = slots->masters();
        return true;
    });
    bool first = true;
    for (const std::string& address : masters) {
        redis_connection server(address, options);
        const redis_facts one = facts_of(server, options);
        facts = first ? one : weaker(facts, one);
        first = false;
    }
    return facts;
}

}  // namespace

redis_facts probe_redis(const redis_options& options) {
    return options.cluster ? look_at_cluster(options) : look_at_one(options);
}

}  // namespace floodgate::store
