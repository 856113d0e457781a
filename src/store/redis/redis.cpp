#include "store/redis/redis.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <map>
#include <thread>
#include <utility>

#include "base/hex.hpp"
#include "base/log.hpp"
#include "store/redis/redis_pool.hpp"

namespace floodgate::store {
namespace {

constexpr int tries_max = 6;
constexpr milliseconds pause{20};            // before a slot on the move is asked about again
constexpr std::size_t pipelined_max = 1000;  // commands sent before their answers are read
constexpr std::size_t error_shown_max = 200;

std::string sha1_hex(std::string_view text) {
    std::array<std::byte, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    if (EVP_Digest(text.data(), text.size(), reinterpret_cast<unsigned char*>(digest.data()), &size,
                   EVP_sha1(), nullptr) != 1)
        throw std::runtime_error("OpenSSL offers no SHA-1");
    return to_hex(byte_view(digest.data(), size));
}

bool is_error(const redis_reply& reply) { return reply.what == redis_reply::kind::error; }

bool was_not_executed(const redis_reply& reply, const std::string& asked) {
    if (!is_error(reply)) return false;
    const redis_says what = read_redis_error(reply.text, asked).what;
    return what != redis_says::refused && what != redis_says::unknown_script;
}

}  // namespace

redis_script::redis_script(std::string_view text) : text_(text), sha_(sha1_hex(text)) {}

struct redis::pool::route {
    int tries = 0;
    std::string to;  // where an answer sent us; empty: where the key belongs
    bool asking = false;
};

result<redis_reply> redis::pool::routed(std::string_view key, const sender& send) {
    const redis_options& options = servers.options();
    const auto deadline = steady::now() + options.connect_timeout + options.command_timeout;
    route r;
    while (r.tries++ < tries_max && steady::now() < deadline) {
        const auto server = r.to.empty() ? servers.of(key, deadline) : servers.at(r.to);
        if (!server) break;
        redis_outcome out = send(*server, std::exchange(r.asking, false), deadline);
        r.to.clear();
        if (out.what != redis_outcome::kind::answered) {
            servers.doubt();
            if (out.what == redis_outcome::kind::unknown) break;
            if (servers.of(key, deadline) == server) break;  // nobody else to ask
            continue;
        }
        if (!was_not_executed(out.reply, server->address())) return std::move(out.reply);
        if (!go_on(r, read_redis_error(out.reply.text, server->address()), server->address()))
            break;
    }
    return make_error_code(errc::store_unavailable);
}

bool redis::pool::go_on(route& r, const redis_error& said, const std::string& asked) {
    switch (said.what) {
    case redis_says::moved:
        if (!servers.options().cluster) {
            log::warning("redis.is_a_cluster", "address", asked);
            return false;
        }
        servers.moved(said.slot, said.address);
        r.to = said.address;
        return true;
    case redis_says::ask:
        r.to = said.address;
        r.asking = true;
        return true;
    case redis_says::try_again: std::this_thread::sleep_for(pause); return true;
    case redis_says::read_only:
    case redis_says::cluster_down:
        servers.doubt();
        std::this_thread::sleep_for(pause);
        return true;
    default: return false;
    }
}

result<redis_reply> accepted(redis_reply reply, std::string_view command) {
    if (!is_error(reply)) return reply;
    log::warning("redis.rejected", "command", command, "error",
                 reply.text.substr(0, error_shown_max));
    return make_error_code(errc::rejected);
}

redis::redis(redis_options options) : pool_(std::make_unique<pool>(std::move(options))) {}
redis::~redis() = default;

const redis_options& redis::options() const { return pool_->servers.options(); }

result<redis_reply> redis::ask(std::string_view key, const words& asked) {
    auto reply = pool_->routed(key, [&](redis_server& to, bool asking, auto deadline) {
        return to.ask(asked, asking, deadline);
    });
    if (!reply) return reply;
    return accepted(std::move(*reply), asked.front());
}

result<redis_reply> redis::run(const redis_script& script, const words& keys,
                               const words& arguments) {
    words asked{"EVALSHA", script.sha(), std::to_string(keys.size())};
    asked.insert(asked.end(), keys.begin(), keys.end());
    asked.insert(asked.end(), arguments.begin(), arguments.end());
    const std::string key = keys.empty() ? "" : keys.front();
    const auto send = [&](redis_server& to, bool asking, auto deadline) {
        return to.ask(asked, asking, deadline);
    };
    auto reply = pool_->routed(key, send);
    if (reply && is_error(*reply) && reply->text.starts_with("NOSCRIPT")) {
        asked[0] = "EVAL";
        asked[1] = script.text();
        reply = pool_->routed(key, send);
    }
    if (!reply) return reply;
    return accepted(std::move(*reply), "EVALSHA");
}

namespace {

// Commands of one server, and where their answers go.
struct bundle {
    std::shared_ptr<redis_server> server;
    std::vector<std::size_t> which;
};

// False: no answer to one of them, which may have been executed or not.
bool exchange(const bundle& b, std::span<const redis::command> commands,
              std::span<redis_reply> replies, steady::time_point deadline) {
    const redis_server::borrowed wire = b.server->borrow(deadline);
    if (!wire) return false;
    for (const std::size_t i : b.which) wire->append(commands[i].what);
    wire->flush(deadline);
    for (const std::size_t i : b.which) {
        auto reply = wire->receive(deadline);
        if (!reply) {
            if (!wire->broken()) b.server->failed("no answer in time");
            return false;
        }
        replies[i] = std::move(*reply);
    }
    b.server->answered();
    return true;
}

using bundles = std::map<redis_server*, bundle>;

// Empty: nobody is known for one of them.
bundles by_server(redis_servers& servers, std::span<const redis::command> commands,
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

// What the server certainly did not do, asked one by one.
result<void> ask_again(redis::pool& pool, const bundle& b, std::span<const redis::command> commands,
                       std::span<redis_reply> replies) {
    const std::string& asked = b.server->address();
    for (const std::size_t i : b.which) {
        if (!was_not_executed(replies[i], asked)) continue;
        if (read_redis_error(replies[i].text, asked).what == redis_says::moved)
            pool.servers.doubt();
        auto again = pool.routed(commands[i].key, [&](redis_server& to, bool asking, auto until) {
            return to.ask(commands[i].what, asking, until);
        });
        if (!again) return again.error();
        replies[i] = std::move(*again);
    }
    return {};
}

result<void> exchange_all(redis::pool& pool, std::span<const redis::command> commands,
                          std::span<redis_reply> replies) {
    const redis_options& options = pool.servers.options();
    const auto deadline = steady::now() + options.connect_timeout + options.command_timeout;
    const bundles all = by_server(pool.servers, commands, deadline);
    if (all.empty()) return make_error_code(errc::store_unavailable);
    for (const auto& entry : all) {
        if (!exchange(entry.second, commands, replies, deadline)) {
            pool.servers.doubt();
            return make_error_code(errc::store_unavailable);
        }
        if (const auto done = ask_again(pool, entry.second, commands, replies); !done) return done;
    }
    return {};
}

}  // namespace

result<std::vector<redis_reply>> redis::ask_all(const std::vector<command>& commands) {
    std::vector<redis_reply> replies(commands.size());
    for (std::size_t from = 0; from < commands.size(); from += pipelined_max) {
        const std::size_t count = std::min(pipelined_max, commands.size() - from);
        const auto done = exchange_all(*pool_, std::span(commands).subspan(from, count),
                                       std::span(replies).subspan(from, count));
        if (!done) return done.error();
    }
    return replies;
}

std::unique_ptr<redis::line> redis::open_line() { return make_redis_line(*pool_); }

redis_facts redis::look() { return look_at_redis(*pool_); }

}  // namespace floodgate::store
