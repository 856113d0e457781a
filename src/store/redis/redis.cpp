#include "store/redis/redis.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "base/log.hpp"
#include "store/redis/servers.hpp"

namespace floodgate::store {
namespace {

constexpr std::size_t pipelined_max = 1000;  // commands sent before their answers are read
constexpr std::size_t error_shown_max = 200;

// Commands of one server, and where their answers go.
struct bundle {
    std::shared_ptr<redis_server> server;
    std::vector<std::size_t> which;
};
using bundles = std::map<redis_server*, bundle>;

// Empty: no server is known for one of them.
bundles by_server(redis_servers& servers, std::span<const redis_command> commands,
                  steady::time_point deadline) {
    bundles out;
    for (std::size_t i = 0; i < commands.size(); ++i) {
        const auto server = servers.of(commands[i].key, deadline);
        if (!server) return {};
        bundle& b = out[server.get()];
        b.server = server;
        b.which.push_back(i);
    }
    return out;
}

// False: no answer to one of them, which may have been executed or not.
bool exchange(const bundle& b, std::span<const redis_command> commands,
              std::span<redis_reply> replies, steady::time_point deadline) {
    const redis_server::borrowed connection = b.server->borrow(deadline);
    if (!connection) return false;
    for (const std::size_t i : b.which) connection->append(commands[i]);
    connection->flush(deadline);
    for (const std::size_t i : b.which) {
        redis_outcome out = b.server->judge(*connection, connection->receive(deadline));
        if (out.what != redis_outcome::kind::answered) return false;
        replies[i] = std::move(out.reply);
    }
    return true;
}

// Repeats, one by one, the commands that the server certainly did not execute.
result<void> ask_again(redis_servers& servers, const bundle& b,
                       std::span<const redis_command> commands, std::span<redis_reply> replies) {
    for (const std::size_t i : b.which) {
        if (!replies[i].is_error()) continue;
        redis_sending how;
        const redis_error said = read_redis_error(replies[i].text, b.server->address());
        const auto next = step_after(said, commands[i], how, servers.options().cluster);
        if (next.what == redis_step::kind::deliver) continue;
        if (said.what == redis_says::moved) servers.doubt();
        auto again = servers.ask(commands[i]);
        if (!again) return again.error();
        replies[i] = std::move(*again);
    }
    return {};
}

result<void> exchange_all(redis_servers& servers, std::span<const redis_command> commands,
                          std::span<redis_reply> replies) {
    const auto deadline = servers.deadline();
    const bundles all = by_server(servers, commands, deadline);
    if (all.empty()) return make_error_code(errc::store_unavailable);
    for (const auto& entry : all) {
        if (!exchange(entry.second, commands, replies, deadline)) {
            servers.doubt();
            return make_error_code(errc::store_unavailable);
        }
        if (const auto done = ask_again(servers, entry.second, commands, replies); !done)
            return done;
    }
    return {};
}

}  // namespace

result<redis_reply> accepted(redis_reply reply, std::string_view command) {
    if (!reply.is_error()) return reply;
    log::warning("redis.rejected", "command", command, "error",
                 reply.text.substr(0, error_shown_max));
    return make_error_code(errc::rejected);
}

redis::redis(redis_options options)
    : servers_(std::make_unique<redis_servers>(std::move(options))) {}
redis::~redis() = default;

const redis_options& redis::options() const { return servers_->options(); }

result<redis_reply> redis::ask(std::string_view key, words what) {
    const redis_command asked{.key = std::string(key), .what = std::move(what)};
    auto reply = servers_->ask(asked);
    if (!reply) return reply;
    return accepted(std::move(*reply), asked.name());
}

result<redis_reply> redis::run(const redis_script& script, const words& keys,
                               const words& arguments) {
    const redis_command asked = to_run(script, keys, arguments);
    auto reply = servers_->ask(asked);
    if (!reply) return reply;
    return accepted(std::move(*reply), asked.name());
}

result<std::vector<redis_reply>> redis::ask_all(const std::vector<command>& commands) {
    std::vector<redis_reply> replies(commands.size());
    for (std::size_t from = 0; from < commands.size(); from += pipelined_max) {
        const std::size_t count = std::min(pipelined_max, commands.size() - from);
        const auto done = exchange_all(*servers_, std::span(commands).subspan(from, count),
                                       std::span(replies).subspan(from, count));
        if (!done) return done.error();
    }
    return replies;
}

}  // namespace floodgate::store
