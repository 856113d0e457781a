// The servers behind one set of addresses, and which of them to ask: the master of several, or the
// one that holds a key's slot. Follows the redirections of a cluster.

#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "base/result.hpp"
#include "store/redis/errors.hpp"
#include "store/redis/server.hpp"
#include "store/redis/slots.hpp"

namespace floodgate::store {

class redis_servers {
public:
    // Throws std::runtime_error: there is no address, or one of them is no HOST:PORT.
    explicit redis_servers(redis_options options);

    // How a command gets to a server: over a kept connection, or a dedicated one.
    using sender = std::function<redis_outcome(redis_server& to, const redis_sending& how,
                                               steady::time_point deadline)>;
    // Gives an answer of any kind, also errors of the command. Tries again, elsewhere or a moment
    // later, only if the command was certainly not executed. store_unavailable: as for redis::ask.
    result<redis_reply> ask(const redis_command& command, const sender& send);
    result<redis_reply> ask(const redis_command& command);

    // The server for `key`, looked for if needed. Null: none is known now.
    std::shared_ptr<redis_server> of(std::string_view key, steady::time_point deadline);

    // A server failed, or said that it is the wrong one. The next call looks for the right one
    // again, at most once in `retry_after`.
    void doubt();
    // When a call that begins now gives up.
    steady::time_point deadline() const;

    const redis_options& options() const { return options_; }

private:
    std::shared_ptr<redis_server> at(const std::string& address);
    // False: give up.
    bool follow(const redis_error& said, const redis_server& by, const redis_step& next);
    void moved(const redis_error& said);  // a cluster's server knows better
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
    bool looking_ = false;  // one of the callers does
    std::map<std::string, std::shared_ptr<redis_server>> servers_;
    std::string master_;  // of several without a cluster; empty: not known
    std::optional<redis_slots> slots_;
    bool doubtful_ = true;
    steady::time_point next_look_{};
};

}  // namespace floodgate::store
