#include "store/redis/servers.hpp"

#include <algorithm>
#include <thread>

#include "base/endpoint.hpp"
#include "base/log.hpp"
#include "store/redis/handshake.hpp"

namespace floodgate::store {
namespace {

constexpr std::size_t servers_max = 1000;  // the largest cluster Redis itself recommends

}  // namespace

redis_servers::redis_servers(redis_options options) : options_(std::move(options)) {
    for (const std::string& address : options_.addresses) (void)parse_endpoint(address);
    if (options_.addresses.empty()) throw std::runtime_error("no address of a Redis server given");
}

steady::time_point redis_servers::deadline() const {
    return steady::now() + options_.connect_timeout + options_.command_timeout;
}

result<redis_reply> redis_servers::ask(const redis_command& command) {
    return ask(command, [&](redis_server& to, const redis_sending& how, auto until) {
        return to.ask(command, how, until);
    });
}

result<redis_reply> redis_servers::ask(const redis_command& command, const sender& send) {
    const auto until = deadline();
    redis_sending how;
    std::string redirected;  // where an answer sent us; empty: where the key belongs
    for (int tries = 0; tries < redis_tries_max && steady::now() < until; ++tries) {
        const auto server = redirected.empty() ? of(command.key, until) : at(redirected);
        if (!server) break;
        redis_outcome out = send(*server, how, until);
        redirected.clear();
        how.asking = false;
        if (out.what != redis_outcome::kind::answered) {
            doubt();
            if (out.what == redis_outcome::kind::unknown) break;
            if (of(command.key, until) == server) break;  // there is no other one to ask
            continue;
        }
        if (!out.reply.is_error()) return std::move(out.reply);
        const redis_error said = read_redis_error(out.reply.text, server->address());
        const auto next = step_after(said, command, how, options_.cluster);
        if (next.what == redis_step::kind::deliver) return std::move(out.reply);
        if (!follow(said, *server, next)) break;
        redirected = said.address;
    }
    return make_error_code(errc::store_unavailable);
}

bool redis_servers::follow(const redis_error& said, const redis_server& by,
                           const redis_step& next) {
    const bool moves = said.what == redis_says::moved;
    if (moves && !options_.cluster) log::warning("redis.is_a_cluster", "address", by.address());
    if (moves && options_.cluster) moved(said);
    if (next.look_again) doubt();
    if (next.what != redis_step::kind::send_again) return false;
    if (next.pause.count() > 0) std::this_thread::sleep_for(next.pause);
    return true;
}

std::shared_ptr<redis_server> redis_servers::at(const std::string& address) {
    const std::lock_guard lock(mutex_);
    auto& server = servers_[address];
    if (!server) server = std::make_shared<redis_server>(address, options_);
    return server;
}

std::shared_ptr<redis_server> redis_servers::of(std::string_view key, steady::time_point deadline) {
    if (!options_.cluster && options_.addresses.size() == 1) return at(options_.addresses.front());
    if (due()) look(deadline);
    return known(key);
}

bool redis_servers::due() const {
    const std::lock_guard lock(mutex_);
    return doubtful_ && steady::now() >= next_look_;
}

std::shared_ptr<redis_server> redis_servers::known(std::string_view key) {
    std::vector<std::string> fit;
    {
        const std::lock_guard lock(mutex_);
        if (!options_.cluster) {
            fit = {master_};
        } else if (slots_ && !key.empty()) {
            fit = {slots_->server_of(redis_slot(key))};
        } else if (slots_) {
            fit = slots_->masters();
        }
    }
    std::erase(fit, "");
    if (fit.empty()) return nullptr;
    // Where any will do, one that answers.
    for (const std::string& address : fit)
        if (auto server = at(address); !server->seems_down()) return server;
    return at(fit.front());
}

void redis_servers::doubt() {
    const std::lock_guard lock(mutex_);
    doubtful_ = true;
}

void redis_servers::moved(const redis_error& said) {
    const std::lock_guard lock(mutex_);
    if (slots_ && said.slot >= 0 && servers_.size() < servers_max)
        slots_->moved(static_cast<std::uint16_t>(said.slot), said.address);
}

// One caller at a time looks; the others wait for its result. (Not a timed_mutex, because the
// thread sanitizer does not understand it.)
void redis_servers::look(steady::time_point deadline) {
    {
        std::unique_lock lock(mutex_);
        if (!looked_.wait_until(lock, deadline, [&] { return !looking_; })) return;
        if (!doubtful_ || steady::now() < next_look_) return;
        looking_ = true;
    }
    if (options_.cluster) {
        look_for_slots(deadline);
    } else {
        look_for_master(deadline);
    }
    const std::lock_guard lock(mutex_);
    looking_ = false;
    next_look_ = steady::now() + options_.retry_after;
    looked_.notify_all();
}

// The present master comes first: as long as it is a master, another server that claims to be one
// is ignored.
std::vector<std::string> redis_servers::candidates() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> out;
    if (!master_.empty()) out.push_back(master_);
    if (slots_) {
        out = slots_->masters();
        out.insert(out.end(), slots_->replicas().begin(), slots_->replicas().end());
    }
    for (const std::string& address : options_.addresses)
        if (std::find(out.begin(), out.end(), address) == out.end()) out.push_back(address);
    return out;
}

void redis_servers::look_for_master(steady::time_point deadline) {
    for (const std::string& address : candidates()) {
        const redis_outcome said = at(address)->ask({"", {"ROLE"}}, {}, deadline);
        if (said.what != redis_outcome::kind::answered || !is_master(said.reply)) continue;
        const std::lock_guard lock(mutex_);
        if (master_ != address) log::info("redis.master_found", "address", address);
        master_ = address;
        doubtful_ = false;
        return;
    }
    const std::lock_guard lock(mutex_);
    master_.clear();
}

void redis_servers::look_for_slots(steady::time_point deadline) {
    for (const std::string& address : candidates()) {
        const redis_outcome said = at(address)->ask({"", {"CLUSTER", "SLOTS"}}, {}, deadline);
        if (said.what != redis_outcome::kind::answered) continue;
        auto found = redis_slots::from(said.reply, address);
        if (!found || found->masters().empty()) continue;
        const std::lock_guard lock(mutex_);
        doubtful_ = !found->complete();
        slots_ = std::move(*found);
        forget_others();
        return;
    }
}

// Drops nodes that have left the cluster, with their connections.
void redis_servers::forget_others() {
    const auto masters = slots_->masters();
    const auto& replicas = slots_->replicas();
    const auto& given = options_.addresses;
    std::erase_if(servers_, [&](const auto& entry) {
        const auto names = [&](const auto& list) {
            return std::find(list.begin(), list.end(), entry.first) != list.end();
        };
        return !names(masters) && !names(replicas) && !names(given);
    });
}

}  // namespace floodgate::store
