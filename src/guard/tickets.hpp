// The tickets of one node, in memory only. A client that loses its ticket in a restart asks for
// another.

#pragma once

#include <cstdint>
#include <list>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "guard/ticket_office.hpp"

namespace floodgate::guard {

class tickets final : public ticket_office {
public:
    explicit tickets(options o) : options_(o) {}
    tickets() : tickets(options{}) {}

    result<issued> issue(const ticket_holder& to, instant now) override;  // never fails
    result<std::optional<ticket_holder>> redeem(std::string_view text, instant now) override;
    bool may_block() const override { return false; }

    std::size_t count() const;

private:
    // Half of the hash: the text itself is not kept.
    struct key {
        std::uint64_t high = 0, low = 0;
        friend bool operator==(const key&, const key&) = default;
    };
    struct key_hash {
        std::size_t operator()(const key& k) const noexcept { return k.high; }
    };
    struct entry {
        key k;
        ticket_holder holder;
        instant expires_at;
    };
    using line = std::list<entry>;

    static key key_of(std::string_view text);
    void forget(line::iterator which);

    const options options_;
    mutable std::mutex mutex_;
    line line_;  // oldest first
    std::unordered_map<key, line::iterator, key_hash> by_key_;
    std::unordered_map<sale::user_id, std::vector<line::iterator>> by_user_;  // oldest first
};

}  // namespace floodgate::guard
