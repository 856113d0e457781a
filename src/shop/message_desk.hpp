// Messages that payment channels send by themselves: checked, entered in the ledger and kept.
//
// The checks run in this order, and the first that fails is the verdict: the signature and the app
// (by the channel), the order, the amount in fen (here), the seller, the state of the trade (by the
// channel), the amount of the refund (here). A message that fails one changes nothing. Everything
// works on the ledger, so a message may reach any node. Any thread that may block.
//
// A message about a refund of ours finishes nothing. It makes our own question about the refund due
// at once (jobs/payment_inquiries), and the answer decides.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "ledger/ledger.hpp"
#include "pay/channel.hpp"
#include "shop/checkout.hpp"

namespace floodgate::shop {

struct message_verdict {
    // Taken: "entered" (the order or its trade moved), "late" (it was given up before, or paid in
    //   another way, so the money goes back),
    //   "repeated" (the order was settled before), "no_news" (its state asks for nothing),
    //   "asked" (about a refund of ours: the channel is now asked for it),
    //   "unknown_refund" (somebody else refunded money of the order).
    // Refused: what the channel found, or "unknown_order", "other_amount".
    // Neither: "not_entered", the ledger failed. The channel is to send it again.
    std::string word;
    bool taken = false;
    bool refused = false;        // an attack, or a mistake in somebody's settings
    bool odd = false;            // taken, but a person must look at it
    pay::message_answer answer;  // for the channel
};

class message_desk {
public:
    struct world {
        shop::checkout& checkout;
        const pay::channels& channels;
        ledger::ledger& book;
    };
    explicit message_desk(const world& w) : world_(w) {}

    // Empty: there is no such channel, or it sends no messages.
    std::optional<message_verdict> take(std::string_view method, const pay::raw_message& raw,
                                        instant now);

    // The order of a buyer whom the channel sends back with these words, which are signed like a
    // message but settle nothing. Empty: they are not the channel's, or name no order of ours.
    std::optional<sale::order_no> returning(std::string_view method, const pay::raw_message& raw,
                                            instant now);

private:
    struct judged;
    judged judge(const pay::message& m, std::string_view method, instant now);
    std::optional<judged> judge_refund(const pay::message& m, std::string_view method, instant now);
    judged judge_trade(const pay::message& m, std::string_view method);
    judged judge_again(const pay::message& m, std::string_view method);

    const world world_;
};

}  // namespace floodgate::shop
