#include "engine/descriptor_budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <sys/resource.h>

#include "base/log.hpp"
#include "engine/open_ledger.hpp"
#include "http/server.hpp"

namespace floodgate::engine {
namespace {

// Standard streams, the lock, four journal segments and their directory, ten SQLite connections
// with three files each, the webhook, a resolver; and half as much again in reserve.
constexpr std::size_t for_the_process = 64;

// A listening socket, two epoll sets and their copies, a timer, a wake-up, the spare descriptor.
constexpr std::size_t for_each_loop = 8;

// A stream's reader and a connection to RabbitMQ.
constexpr std::size_t for_each_partition = 2;

// A Redis Cluster may have more servers than the configuration names.
constexpr std::size_t redis_cluster_servers = 6;

// With fewer clients a shop cannot be run.
constexpr std::size_t clients_min = 64;

// One address must not be able to take every place: it gets this part of them, but enough for a
// browser with a few tabs.
constexpr std::size_t part_of_one_address = 4;
constexpr std::size_t connections_of_one_address_min = 8;

void cap_one_address(settings& s) {
    const std::size_t part = s.server.connections_max / part_of_one_address;
    std::size_t& most = s.server.clients.per_address_max;
    most = std::min(most, std::max(part, connections_of_one_address_min));
}

std::size_t reserved_for_stores(const cluster_settings& c, std::size_t loops) {
    const std::size_t servers =
        std::max(c.redis.addresses.size(), c.redis.cluster ? redis_cluster_servers : 1);
    return servers * (c.redis.connections_max + loops) + c.mariadb.connections_max +
           points_connections_max + c.partitions * for_each_partition;
}

}  // namespace

std::size_t reserved_descriptors(const settings& s) {
    const std::size_t loops = s.server.loops ? s.server.loops : http::default_loops();
    const std::size_t stores =
        s.mode == run_mode::clustered ? reserved_for_stores(s.cluster, loops) : 0;
    const std::size_t operators =
        s.server.operator_listen.empty() ? 0 : http::operator_connections_max + for_each_loop;
    return for_the_process + loops * for_each_loop + operators + stores;
}

settings fit_to_descriptors(settings s, std::size_t limit) {
    std::size_t& connections = s.server.connections_max;
    std::size_t& sockets = s.mailroom.sockets.connections_max;
    const std::size_t wanted = connections + sockets;
    const std::size_t reserved = reserved_descriptors(s);
    const std::size_t left = limit - std::min(limit, reserved);
    s.server.clients.clients_max = left;
    if (left >= wanted) {
        cap_one_address(s);
        log::info("engine.descriptors_counted", "limit", limit, "reserved", reserved,
                  "connections_max", connections, "ws_connections_max", sockets, "per_address_max",
                  s.server.clients.per_address_max);
        return s;
    }
    const std::size_t least = std::min(wanted, clients_min);
    const std::string numbers = fmt::format(
        "this process may have {} open files, {} are set aside, {} are left for clients", limit,
        reserved, left);
    if (left < least)
        throw std::runtime_error(fmt::format("{}: at least {} are needed (ulimit -n {})", numbers,
                                             least, reserved + least));
    if (s.cluster.strict)
        throw std::runtime_error(
            fmt::format("cluster.strict: {}, but edge.connections_max and ws.connections_max are "
                        "{} together (ulimit -n {})",
                        numbers, wanted, reserved + wanted));
    connections = std::min(connections, left);
    sockets = std::min(sockets, left / 4 * 3);
    cap_one_address(s);
    note_option(s, "edge.connections_max", std::to_string(connections), "derived");
    note_option(s, "ws.connections_max", std::to_string(sockets), "derived");
    log::warning("engine.clients_capped", "limit", limit, "reserved", reserved, "clients_max", left,
                 "connections_max", connections, "ws_connections_max", sockets, "per_address_max",
                 s.server.clients.per_address_max, "wanted", wanted);
    return s;
}

std::size_t raise_descriptor_limit() {
    rlimit files{};
    if (getrlimit(RLIMIT_NOFILE, &files) != 0) throw std::runtime_error("getrlimit failed");
    const rlimit most{.rlim_cur = files.rlim_max, .rlim_max = files.rlim_max};
    const bool raised = setrlimit(RLIMIT_NOFILE, &most) == 0;
    return static_cast<std::size_t>(raised ? most.rlim_cur : files.rlim_cur);
}

}  // namespace floodgate::engine
