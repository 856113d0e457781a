// The method "test": pays at once, with money that does not exist. For demos and trials.
//
// It keeps its trades in memory. After a restart, and beyond `remembered` trades, it does not know
// the older ones, and closes them when asked to. This is acceptable only because no real money is
// involved.

#pragma once

#include <cassert>
#include <deque>
#include <mutex>
#include <unordered_map>

#include "pay/channel.hpp"

namespace floodgate::pay {

class test_channel final : public channel {
public:
    explicit test_channel(std::size_t remembered = 100'000) : remembered_(remembered) {
        assert(remembered_ > 0);
    }

    std::string_view method() const override { return "test"; }
    // Also takes orders that cost nothing at all, which no other channel does.
    result<std::optional<refusal>> refuses(const sale::order& o) override;
    // conflict: the trade was closed, or its money given back.
    result<checkout> begin(const sale::order& o) override;
    // An unknown trade is open, never absent, because it could still be begun.
    trade query(const sale::order& o) override;
    trade close(const sale::order& o) override;
    refund_answer refund(const sale::order& o, const refund_request& r) override;

private:
    trade& remember(sale::order_no no, trade as);

    const std::size_t remembered_;
    std::mutex mutex_;
    std::unordered_map<std::uint64_t, trade> trades_;  // paid or closed, by order number
    std::deque<std::uint64_t> oldest_first_;
};

}  // namespace floodgate::pay
