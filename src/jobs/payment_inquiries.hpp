// Decides when to ask the payment channels: whether an order that is to be closed was paid, and
// whether money was refunded. shop/checkout asks the channel and enters the answer.
//
// Until a channel has answered clearly, the order stays as it is, its units are held, and the
// channel is asked again, less and less often. No inquiry is forgotten, because they are stored in
// the ledger.

#pragma once

#include <map>
#include <mutex>
#include <span>
#include <string>

#include "alarm/board.hpp"
#include "base/clock.hpp"
#include "base/failure_log.hpp"
#include "ledger/move_book.hpp"
#include "shop/checkout.hpp"

namespace floodgate::jobs {

struct payment_inquiry_options {
    std::size_t at_once = 50;  // inquiries in one step
    // After so many unclear answers in a row, a channel is asked once in a step until it gives a
    // clear one; its other inquiries wait for a later step.
    int give_up_after = 3;
    milliseconds pause_first{1000};    // the pause after an unclear answer, which doubles
    milliseconds pause_last{60'000};   // up to this
    milliseconds limbo_after{60'000};  // an inquiry older than this raises an alert
    // Money that came late or twice raises an alert for so long.
    milliseconds extra_money_shown{std::chrono::hours(1)};
};

struct payment_inquiry_figures {
    std::uint64_t asked = 0;
    std::uint64_t unsure = 0;   // of these, without a clear answer
    std::uint64_t settled = 0;  // of these, with an answer that moved the order
    std::int64_t open = 0;      // inquiries that were open at the last look
};

class payment_inquiries {
public:
    struct world {
        ledger::move_book& moves;
        ledger::refund_book& refunds;
        shop::checkout& checkout;
        alarm::board& alarms;
        const floodgate::clock& clock;
    };
    explicit payment_inquiries(world w, payment_inquiry_options o = {}) : world_(w), options_(o) {}

    // Makes the inquiries that are due, then looks how old the oldest one is. True: more may be
    // due. One thread calls it; channels are asked side by side, so that one that hangs holds up
    // the others for a few calls at most. When the ledger fails, the rest is left for the next
    // step.
    bool step();

    payment_inquiry_figures read_figures() const;  // any thread

private:
    bool ask_all(const std::vector<ledger::open_question>& questions);
    // `unclear`: the channel's unclear answers in a row.
    result<void> ask_one_channel(std::span<const ledger::open_question> questions, int& unclear);
    result<shop::inquiry_outcome> ask(const ledger::open_question& q);
    result<void> wait(const ledger::open_question& q, const std::string& note,
                      ledger::attempt_list calls = {});
    result<void> watch();
    result<void> watch_extra_money();
    void count(std::uint64_t payment_inquiry_figures::*what);

    const world world_;
    const payment_inquiry_options options_;
    std::map<std::string, int> unclear_;  // by method
    failure_log trouble_{log::level::error, "jobs.payment_inquiries"};
    mutable std::mutex mutex_;
    payment_inquiry_figures figures_;  // guarded by mutex_
};

}  // namespace floodgate::jobs
