#include "jobs/payment_inquiries.hpp"

#include <fmt/format.h>

#include <map>
#include <thread>

#include "base/backoff.hpp"

namespace floodgate::jobs {
namespace {

using std::chrono::duration_cast;
using std::chrono::minutes;
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
    std::map<std::string, std::vector<ledger::open_question>> by_channel;
    for (const ledger::open_question& q : questions) by_channel[q.method].push_back(q);
    std::vector<result<void>> answers(by_channel.size());
    {
        std::vector<std::jthread> others;
        std::size_t next = 0;
        for (const auto& [method, its] : by_channel) {
            result<void>& answer = answers[next++];
            int& unclear = unclear_[method];
            const auto ask_them = [this, &its = its, &answer, &unclear] {
                answer = ask_one_channel(its, unclear);
            };
            if (next == by_channel.size()) {
                ask_them();  // the last one on this thread, and usually there is only one
            } else {
                others.emplace_back(ask_them);
            }
        }
    }
    result<void> done;
    for (const result<void>& answer : answers)
        if (done) done = answer;
    if (done) done = watch();
    if (done) {
        trouble_.succeeded();
    } else {
        trouble_.failed(done.error().message());
    }
    return done.has_value();
}

result<void> payment_inquiries::ask_one_channel(std::span<const ledger::open_question> questions,
                                                int& unclear) {
    bool asked = false;
    for (const ledger::open_question& q : questions) {
        if (asked && unclear >= options_.give_up_after) {
            if (auto later = wait(q, "the channel gives no clear answers"); !later) return later;
            continue;
        }
        asked = true;
        const auto outcome = ask(q);
        if (!outcome) return outcome.error();
        unclear = *outcome == shop::inquiry_outcome::unsure ? unclear + 1 : 0;
    }
    return {};
}

result<shop::inquiry_outcome> payment_inquiries::ask(const ledger::open_question& q) {
    count(&payment_inquiry_figures::asked);
    const auto answer = world_.checkout.inquire(q);
    if (answer.has_error()) return answer.error();
    if (answer->outcome == shop::inquiry_outcome::settled) {
        count(&payment_inquiry_figures::settled);
        return answer->outcome;
    }
    if (answer->outcome == shop::inquiry_outcome::unsure) count(&payment_inquiry_figures::unsure);
    // If the order was overtaken, its inquiry is usually settled. If it is still open, the channel
    // must not be asked again without a pause.
    if (const auto later = wait(q, answer->note, answer->calls); !later) return later.error();
    return answer->outcome;
}

result<void> payment_inquiries::wait(const ledger::open_question& q, const std::string& note,
                                     ledger::attempt_list calls) {
    const instant at = world_.clock.now() + pause_after(q.tries, options_);
    const auto noted = world_.moves.ask_again(q, at, note, calls);
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
    return watch_extra_money();
}

result<void> payment_inquiries::watch_extra_money() {
    const instant now = world_.clock.now();
    const auto came = world_.refunds.count_extra(now - options_.extra_money_shown);
    if (came.has_error()) return came.error();
    world_.alarms.set(
        *came > 0, alarm::kind::extra_money, "payments",
        fmt::format("payments that came too late or a second time within {} minutes: {}; "
                    "the money goes back by itself",
                    duration_cast<minutes>(options_.extra_money_shown).count(), *came),
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
