// A way to pay, whatever stands behind it. Alipay and WeChat Pay come in a later issue.
//
// Calls may take long: from a pool thread or the clerk's asker, never an event loop. Every one of
// them may be repeated; the order's number is what makes it the same trade.

#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "sale/order.hpp"

namespace floodgate::pay {

// What a channel says of an order's trade.
enum class trade : std::uint8_t {
    absent = 1,  // it knows none, and none can come into being
    open,        // somebody may still pay
    paid,
    closed,  // nobody can pay any more
    unsure,  // it did not answer, or not clearly: ask again
};
const char* to_text(trade t);

enum class refund_answer : std::uint8_t { done = 1, unsure };

struct checkout {
    bool paid = false;     // there and then
    std::string redirect;  // else where the buyer goes to pay
};

class channel {
public:
    virtual ~channel() = default;

    virtual std::string_view method() const = 0;  // "test", "alipay": the word in the request
    // store_unavailable: the channel cannot be reached. conflict: the trade was closed meanwhile.
    virtual result<checkout> begin(const sale::order& o) = 0;
    virtual trade query(const sale::order& o) = 0;
    // Asks that nobody can pay any more, and says what the trade is then.
    virtual trade close(const sale::order& o) = 0;
    // All of the money. Doing it twice gives it back once.
    virtual refund_answer refund(const sale::order& o) = 0;
};

// The ways to pay that are open. Built at start, then read by any thread.
class channels {
public:
    void add(std::unique_ptr<channel> c) { all_.push_back(std::move(c)); }
    channel* find(std::string_view method) const;  // null: there is none
    std::span<const std::unique_ptr<channel>> all() const { return all_; }

private:
    std::vector<std::unique_ptr<channel>> all_;
};

}  // namespace floodgate::pay
