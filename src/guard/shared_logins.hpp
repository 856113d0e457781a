// The log-ins of a cluster. Every node keeps all of them in memory (sessions.hpp). Redis keeps them
// for nodes that missed one, together with a log of revoked log-ins.
//
// A revocation reaches the other nodes over the bus within milliseconds. A node that missed it
// finds it in the log at its next catch_up(), twice a second, so it takes at most a second while
// Redis answers. While Redis does not answer, a node goes on with what it has.
//
// Keys: NAME:login:<hash> = "user role expires", which expires with the log-in; NAME:revoked, a
// sorted set of hashes by the time (Redis' own) of their revocation.

#pragma once

#include <boost/unordered/unordered_flat_set.hpp>

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "guard/sessions.hpp"
#include "store/redis/redis.hpp"

namespace floodgate::guard {

class shared_logins {
public:
    struct options {
        milliseconds remembered{3'600'000};   // how long the log goes back
        std::size_t revoked_max = 1'000'000;  // entries of the log
        milliseconds overlap{10'000};         // how far each catch_up looks back again
    };
    shared_logins(store::redis& redis, sessions& local, std::string name, options o);
    shared_logins(store::redis& redis, sessions& local, std::string name)
        : shared_logins(redis, local, std::move(name), options{}) {}

    // All of these also do it to `local`, whatever becomes of Redis. Those that ask Redis block.

    // store_unavailable: the other nodes may not know it, unless the bus tells them.
    result<void> keep(const sale::login& l, instant now);
    result<void> remove(const sale::token_hash& hash, instant now);

    // For a log-in that `local` does not know. not_found; store_unavailable: Redis cannot be asked.
    result<identity> find(const sale::token_hash& hash, instant now);

    // Removes log-ins from `local` that were revoked elsewhere since the last call. After a failure
    // the next call starts where this one did. False: revocations may have been missed (the log was
    // lost, or this node was away for longer than it goes back), so `local` should be filled from
    // the ledger.
    bool catch_up(instant now);

    // A log-in that the ledger knows, without asking Redis. False: it was revoked lately, and stays
    // so.
    bool add(const sale::login& l);

    // Fills `local` with what `read` finds in the ledger. A log-in that is made or revoked while it
    // reads is not lost, and not brought back. A failure of `read` leaves all as it was.
    using ledger_reader = std::function<result<std::vector<sale::login>>()>;
    result<void> reload(const ledger_reader& read);

    // For the bus. Messages that make no sense are ignored.
    static std::string tell(const sale::login& l);
    static std::string tell(const sale::token_hash& hash);
    void hear_login(std::string_view message);
    void hear_logout(std::string_view message);

private:
    struct hash_bits {
        using is_avalanching = void;
        std::size_t operator()(const sale::token_hash& hash) const noexcept;
    };
    using hashes = boost::unordered_flat_set<sale::token_hash, hash_bits>;
    static constexpr std::size_t generation_max = 250'000;  // 8 MB

    bool is_revoked(const sale::token_hash& hash) const;  // under mutex_
    void revoke(const sale::token_hash& hash);
    std::string key_of(const sale::token_hash& hash) const;

    store::redis& redis_;
    sessions& local_;
    const std::string name_, revoked_key_;
    const options options_;

    std::mutex mutex_;
    // Log-ins revoked lately, in a newer and an older half, so that a log-in that is heard of after
    // its revocation does not come back.
    hashes revoked_, revoked_before_;
    std::optional<std::vector<sale::login>> added_meanwhile_;  // while reload() reads

    std::mutex catching_up_;    // guards what follows
    std::int64_t seen_ms_ = 0;  // the log was read up to here, by Redis' clock; 0: never
    std::string log_id_;        // when it changes, the log was lost in between
};

}  // namespace floodgate::guard
