// The port of a payment channel.
//
// Calls may take long: make them on a pool thread or a timed job, never on an event loop. Every
// call may be repeated; the order's number makes it the same trade.

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "sale/order.hpp"

namespace floodgate::pay {

// What a channel says about an order's trade.
enum class trade : std::uint8_t {
    absent = 1,  // the channel has no such trade, and none can begin any more
    open,        // it may still be paid
    paid,
    closed,  // it can no longer be paid
    unsure,  // the channel gave no answer, or no clear one: ask again
};
const char* to_text(trade t);

// What a channel says to a refund that it was asked for.
enum class refund_answer : std::uint8_t {
    done = 1,
    under_way,  // it was taken on and is not finished: ask again
    abnormal,   // the money cannot reach the buyer: a person must help, in the channel's console
    closed,     // the channel has given it up: a person must decide
    unsure,     // the channel gave no answer, or no clear one: ask again
};
const char* to_note(refund_answer a);  // a sentence for an operator; empty: done

// Money, or points, to be given back: all of an order's, or a part. The ledger made its number and
// stored it before the first call that carries it (ledger/refund_book.hpp).
struct refund_request {
    std::string number;  // out_request_no, out_refund_no: the same whenever the call is repeated
    sale::fen amount{};
    sale::points amount_points{};
    std::string reason{};  // for the channel's records; may be empty
};
refund_request whole_refund(const sale::order& o, std::string number);

// Why a channel does not take the payment of an order.
enum class refusal : std::uint8_t {
    no_price = 1,  // the order has no price in what the channel takes
    not_enough,    // the buyer has less than the price
};

// What the buyer needs in order to pay. Which of them is given depends on the channel.
struct checkout {
    bool paid = false;       // paid at once, and nothing else is needed
    std::string redirect{};  // an address for the buyer's browser
    std::string form{};      // HTML that takes the browser there by itself
    std::string code_url{};  // the text of a QR code
    // With `paid`: the price is only set aside. It is paid if the ledger enters it before the order
    // is being closed; then the channel is told so: settled().
    bool reserved = false;
    std::optional<refusal> refused{};  // then the rest is empty
};

// The number under which the channel knows an order's trade (out_trade_no).
std::string trade_number(const sale::order& o);

// A trade that the channel does not know may still come into being until the order's deadline: a
// saved page is opened, a slow request arrives. So it is `absent` only some time after that.
inline constexpr milliseconds absence_margin{60'000};
trade missing_trade(const sale::order& o, instant now);  // open or absent

// A message that a channel sent us by itself, as it came. Nothing about it is known to be true.
struct raw_message {
    std::string_view content_type;
    std::string_view body;
    // The headers with which it is signed, and how their names begin: "Wechatpay-", "Floodgate-".
    // Empty for channels that sign in the body.
    std::string_view timestamp{}, nonce{}, signature{}, serial{};
    std::string_view header_prefix{};
};

// A refund that a message tells of. It decides nothing, because the channel is asked.
struct refund_news {
    std::string number;  // as in refund_request, if the refund is ours
    sale::fen amount{};
    bool is_sum = false;  // Alipay: `amount` is all that was refunded of the trade so far
    refund_answer says = refund_answer::unsure;
};

// What the channel's own checks say about a message. The order, its amount and its refunds are
// checked by shop/message_desk, which knows them.
struct message {
    // The first check that failed: "bad_signature", "other_app", "other_seller" ... (to_text of
    // authenticity.hpp, and the channel's own words). Empty: the message is genuine and for us.
    std::string fault{};
    sale::order_no order{};  // 0: it names no order of ours
    trade says = trade::unsure;
    sale::fen amount{};        // of the whole trade
    std::string channel_no{};  // the channel's own number of the trade
    std::optional<refund_news> refund{};
};

// How a channel wants its message answered.
struct message_answer {
    unsigned status = 200;
    std::string content_type{};
    std::string body{};
};

class channel {
public:
    virtual ~channel() = default;

    virtual std::string_view method() const = 0;  // "test", "alipay": the word in the request
    // What it takes for an order. Money is the usual price.
    virtual sale::price price_of(const sale::order& o) const { return {o.amount}; }
    // store_unavailable: the channel cannot be reached. conflict: the trade was closed meanwhile.
    virtual result<checkout> begin(const sale::order& o) = 0;
    // Asked before the payment is begun in the ledger. None:
    // it may begin. store_unavailable: the channel cannot be reached.
    virtual result<std::optional<refusal>> refuses(const sale::order& o);
    // The order is paid in the ledger with what begin() has set aside. Only a hint: it may be lost.
    virtual void settled(const sale::order& /*o*/) {}
    virtual trade query(const sale::order& o) = 0;
    // Closes the trade, so that it can no longer be paid, and says what the trade is then.
    virtual trade close(const sale::order& o) = 0;
    // Gives money of the order back. A repeated call with the same number gives it back only once.
    virtual refund_answer refund(const sale::order& o, const refund_request& r) = 0;

    // Messages of the channel; only for channels that send any.
    virtual bool sends_messages() const { return false; }
    virtual message read(const raw_message& m, instant now);
    // For channels that prescribe their answers; to others the API answers as to everybody. taken:
    // it was understood and entered, or changes nothing any more. Otherwise it comes again.
    virtual message_answer answer(bool taken) const;
};

// The payment channels in use. Built at start, then read by any thread.
class channels {
public:
    void add(std::unique_ptr<channel> c) { all_.push_back(std::move(c)); }
    channel* find(std::string_view method) const;  // null: there is none
    std::span<const std::unique_ptr<channel>> all() const { return all_; }

private:
    std::vector<std::unique_ptr<channel>> all_;
};

}  // namespace floodgate::pay
