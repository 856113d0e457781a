#include "pay/call_recording.hpp"

#include <algorithm>

#include "pay/call_log.hpp"

namespace floodgate::pay {
namespace {

thread_local call_recording* innermost = nullptr;

}  // namespace

const char* to_text(call_outcome o) {
    switch (o) {
    case call_outcome::answered: return "answered";
    case call_outcome::refused: return "refused";
    case call_outcome::garbled: return "garbled";
    case call_outcome::no_answer: return "no_answer";
    case call_outcome::failed: return "failed";
    }
    return "?";
}

call_recording::call_recording() : outer_(innermost) { innermost = this; }
call_recording::~call_recording() { innermost = outer_; }

void call_recording::add(remote_call c) {
    if (calls_.size() < calls_max) calls_.push_back(std::move(c));
}

// A clock that was set back meanwhile would give a negative time.
void noted_call::came_to(call_outcome outcome, std::string answer) {
    told_ = true;
    if (innermost == nullptr) return;
    const milliseconds took = std::max(clock_.now() - at_, milliseconds(0));
    innermost->add({std::string(asked_), outcome, std::move(answer), at_, took});
}

noted_call::~noted_call() {
    if (!told_) came_to(call_outcome::failed, "");
}

std::string joined_words(std::initializer_list<std::string_view> words) {
    std::string all;
    for (const std::string_view word : words) {
        if (word.empty()) continue;
        if (!all.empty()) all += ' ';
        all += shown_word(word);
    }
    return all;
}

}  // namespace floodgate::pay
