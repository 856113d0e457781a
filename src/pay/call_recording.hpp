// What this thread asks of payment channels, call by call, for the journal in the ledger.
//
// A channel's act may take several remote calls: to close a trade, it is closed and then asked for.
// The channels block, so all calls of an act are made on the thread that asked for it. Whoever asks
// a channel keeps a call_recording meanwhile; the channels note their remote calls in the innermost
// one of their thread, and nowhere if there is none.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"

namespace floodgate::pay {

enum class call_outcome : std::uint8_t {
    answered = 1,  // the channel did it, or said what it was asked for
    refused,       // a genuine answer: it did not do it
    garbled,       // an answer that is not genuine or makes no sense
    no_answer,     // nobody knows whether the channel heard of it
    failed,        // the channel's own code threw
};
const char* to_text(call_outcome o);

// No secrets and no bodies: only codes and states, as the channel spells them.
struct remote_call {
    std::string asked;  // begin, query, close, refund, refund_query ...
    call_outcome outcome = call_outcome::no_answer;
    std::string answer{};
    instant at{};
    milliseconds took{};
};

class call_recording {
public:
    static constexpr std::size_t calls_max = 16;  // further ones are left out

    call_recording();
    ~call_recording();
    call_recording(const call_recording&) = delete;
    call_recording& operator=(const call_recording&) = delete;

    const std::vector<remote_call>& calls() const { return calls_; }
    void add(remote_call c);

private:
    call_recording* const outer_;
    std::vector<remote_call> calls_;
};

// One remote call of a channel: begun now, noted when its answer is known.
class noted_call {
public:
    noted_call(std::string_view asked, const floodgate::clock& clock)
        : asked_(asked), clock_(clock), at_(clock.now()) {}
    ~noted_call();  // without an answer: the channel's code threw
    noted_call(const noted_call&) = delete;
    noted_call& operator=(const noted_call&) = delete;

    void came_to(call_outcome outcome, std::string answer);

private:
    bool told_ = false;
    const std::string_view asked_;
    const floodgate::clock& clock_;
    const instant at_;
};

// "10000", "", "TRADE_SUCCESS" -> "10000 TRADE_SUCCESS", each word cut to a reasonable length.
std::string joined_words(std::initializer_list<std::string_view> words);

}  // namespace floodgate::pay
