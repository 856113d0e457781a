// The servers behind one set of addresses, and which of them to ask: the master of several, or the
// one that holds a key's slot.

#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "store/redis/redis_server.hpp"
#include "store/redis/redis_slots.hpp"

namespace floodgate::store {

class redis_servers {
public:
    explicit redis_servers(redis_options options);

    // The one to ask about `key`, found out if need be. Null: none is known now.
    std::shared_ptr<redis_server> of(std::string_view key, steady::time_point deadline);
    std::shared_ptr<redis_server> at(const std::string& address);

    // One of them failed, or said that it is not the one: looked for again by the next call, at
    // most once in `retry_after`.
    void doubt();
    // A cluster's server knows better.
    void moved(int slot, const std::string& address);

    const redis_options& options() const { return options_; }

private:
    std::shared_ptr<redis_server> known(std::string_view key);
    bool due() const;  // to look again
    void look(steady::time_point deadline);
    void look_for_master(steady::time_point deadline);
    void look_for_slots(steady::time_point deadline);
    void forget_others();
    std::vector<std::string> candidates() const;

    const redis_options options_;
    mutable std::mutex mutex_;
    std::condition_variable looked_;
    bool looking_ = false;  // somebody does
    std::map<std::string, std::shared_ptr<redis_server>> servers_;
    std::string master_;  // of several without a cluster; empty: not known
    std::optional<redis_slots> slots_;
    bool doubtful_ = true;
    steady::time_point next_look_{};
};

}  // namespace floodgate::store
