// The port of a payment channel. Alipay and WeChat Pay come in a later issue.
//
// Calls may take long: make them on a pool thread or a timed job, never on an event loop. Every
// call may be repeated; the order's number makes it the same trade.

#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

enum class refund_answer : std::uint8_t { done = 1, unsure };

struct checkout {
    bool paid = false;     // paid at once
    std::string redirect;  // otherwise: where the buyer goes to pay
};

class channel {
public:
    virtual ~channel() = default;

    virtual std::string_view method() const = 0;  // "test", "alipay": the word in the request
    // store_unavailable: the channel cannot be reached. conflict: the trade was closed meanwhile.
    virtual result<checkout> begin(const sale::order& o) = 0;
    virtual trade query(const sale::order& o) = 0;
    // Closes the trade, so that it can no longer be paid, and says what the trade is then.
    virtual trade close(const sale::order& o) = 0;
    // Gives all of the money back. A repeated call gives it back only once.
    virtual refund_answer refund(const sale::order& o) = 0;
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
