// The method "points": an order paid with the buyer's points (积分).
//
// The points and the order may be in two databases, so they move in turns: begin() sets the points
// aside, the ledger decides whether the order is paid, and then the points are taken, or given up.
// jobs/points_settler finishes what was interrupted in between. Any thread that may block.

#pragma once

#include "base/clock.hpp"
#include "pay/channel.hpp"
#include "points/accounts.hpp"

namespace floodgate::shop {

class points_channel final : public pay::channel {
public:
    static constexpr std::string_view name = "points";

    // here: the accounts are in this process. elsewhere: each use is a remote call, which is noted
    // for the journal (pay/call_recording.hpp).
    enum class place : std::uint8_t { here = 1, elsewhere };
    points_channel(points::accounts& accounts, const floodgate::clock& clock,
                   place where = place::here)
        : accounts_(accounts), clock_(clock), where_(where) {}

    std::string_view method() const override { return name; }

    // no_price: the order has no price in points.
    result<std::optional<pay::refusal>> refuses(const sale::order& o) override;
    // Paid and reserved, or refused: not_enough. conflict: the points of this order were given up.
    result<pay::checkout> begin(const sale::order& o) override;
    void settled(const sale::order& o) override;

    // A try that does not exist may still come, so it is open and never absent: close() then makes
    // sure that it cannot come any more.
    pay::trade query(const sale::order& o) override;
    pay::trade close(const sale::order& o) override;
    // done also if nothing was taken.
    sale::price price_of(const sale::order& o) const override { return {{}, o.amount_points}; }
    pay::refund_answer refund(const sale::order& o, const pay::refund_request& r) override;

private:
    pay::refund_answer give_back(const sale::order& o, const pay::refund_request& r);

    template <class Use>
    auto ask(const char* asked, Use use);

    points::accounts& accounts_;
    const floodgate::clock& clock_;
    const place where_;
};

}  // namespace floodgate::shop
