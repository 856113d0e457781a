#include "jobs/payment_inquiries.hpp"

#include <fmt/format.h>

#include "base/backoff.hpp"

namespace floodgate::jobs {
namespace {

using std::chrono::duration_cast;
using std::chrono::seconds;

milliseconds pause_after(std::uint32_t tries, const payment_inquiry_options& o) {
    return backoff{o.pause_first, o.pause_last}.after(std::uint64_t{tries} + 1);
}

}  // namespace

bool payment_inquiries::step() {
    const auto questions = world_.moves.open_questions(world_.clock.now(), options_.at_once);
    if (questions.has_error()) {
        trouble_.failed(questions.error().message());
        return false;
    }
    if (!ask_all(*questions)) return false;
    return questions->size() == options_.at_once;
}

bool payment_inquiries::ask_all(const std::vector<ledger::open_question>& questions) {
    result<void> done;
    for (const ledger::open_question& q : questions)
        if (done) done = ask(q);
    if (done) done = watch();
    if (done) {
        trouble_.succeeded();
    } else {
        trouble_.failed(done.error().message());
    }
    return done.has_value();
}

result<void> payment_inquiries::ask(const ledger::open_question& q) {
    count(&payment_inquiry_figures::asked);
    const auto answer = world_.checkout.inquire(q);
    if (answer.has_error()) return answer.error();
    if (answer->outcome == shop::inquiry_outcome::settled) {
        count(&payment_inquiry_figures::settled);
        return {};
    }
    if (answer->outcome == shop::inquiry_outcome::unsure) count(&payment_inquiry_figures::unsure);
    // If the order was overtaken, its inquiry is usually settled. If it is still open, the channel
    // must not be asked again without a pause.
    return wait(q, answer->note);
}

result<void> payment_inquiries::wait(const ledger::open_question& q, const std::string& note) {
    const instant at = world_.clock.now() + pause_after(q.tries, options_);
    const auto noted = world_.moves.ask_again(q.order.no, at, note);
    if (noted.has_error() && noted.error() == errc::not_found) return {};  // settled meanwhile
    return noted;
}

result<void> payment_inquiries::watch() {
    const auto open = world_.moves.count_questions();
    if (open.has_error()) return open.error();
    const auto oldest = world_.moves.oldest_question();
    if (oldest.has_error()) return oldest.error();
    {
        const std::lock_guard lock(mutex_);
        figures_.open = *open;
    }
    const instant now = world_.clock.now();
    const milliseconds age = *oldest == never ? milliseconds(0) : now - *oldest;
    world_.alarms.set(age > options_.limbo_after, alarm::kind::payment_limbo, "payments",
                      fmt::format("{} orders wait for their channel, the oldest for {} s", *open,
                                  duration_cast<seconds>(age).count()),
                      now);
    return {};
}

void payment_inquiries::count(std::uint64_t payment_inquiry_figures::*what) {
    const std::lock_guard lock(mutex_);
    ++(figures_.*what);
}

payment_inquiry_figures payment_inquiries::read_figures() const {
    const std::lock_guard lock(mutex_);
    return figures_;
}

}  // namespace floodgate::jobs
