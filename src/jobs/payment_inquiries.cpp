#include "jobs/payment_inquiries.hpp"

#include <fmt/format.h>

#include "base/backoff.hpp"

namespace floodgate::jobs {
namespace {

using std::chrono::duration_cast;
using std::chrono::seconds;

enum class word : std::uint8_t { paid = 1, closed, refunded, unsure };

struct answer {
    word said = word::unsure;
    std::string note;  // unsure: why
};

answer close_trade(pay::channel& c, const sale::order& o) {
    pay::trade t = c.query(o);
    if (t == pay::trade::open) t = c.close(o);
    switch (t) {
    case pay::trade::paid: return {word::paid, {}};
    case pay::trade::absent:
    case pay::trade::closed: return {word::closed, {}};
    case pay::trade::open: return {word::unsure, "the trade is still open"};
    case pay::trade::unsure: break;
    }
    return {word::unsure, "no clear answer"};
}

answer give_back(pay::channel& c, const sale::order& o) {
    if (c.refund(o) == pay::refund_answer::done) return {word::refunded, {}};
    return {word::unsure, "no clear answer"};
}

// Whatever a channel does, it is an answer.
answer hear(pay::channel* c, const ledger::open_question& q) {
    if (c == nullptr) return {word::unsure, "no channel"};
    try {
        return q.what == ledger::question::close ? close_trade(*c, q.order)
                                                 : give_back(*c, q.order);
    } catch (const std::exception& e) {
        return {word::unsure, e.what()};
    } catch (...) {
        return {word::unsure, "the channel threw something"};
    }
}

milliseconds pause_after(std::uint32_t tries, const payment_inquiry_options& o) {
    return backoff{o.pause_first, o.pause_last}.after(std::uint64_t{tries} + 1);
}

result<ledger::move_outcome> enter(ledger::move_book& moves, word said, sale::order_no no,
                                   instant now) {
    if (said == word::paid) return moves.pay(no, now);
    if (said == word::closed) return moves.close(no, now);
    return moves.finish_refund(no, now);
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
    const answer a = hear(world_.channels.find(q.method), q);
    if (a.said == word::unsure) {
        count(&payment_inquiry_figures::unsure);
        return wait(q, a.note);
    }
    const auto moved = enter(world_.moves, a.said, q.order.no, world_.clock.now());
    if (moved.has_error()) return moved.error();
    // Somebody else was first; should the question stand all the same, it must not be asked without
    // a pause.
    if (!moved->moved) return wait(q, "the order did not move");
    count(&payment_inquiry_figures::settled);
    world_.after.settle(*moved);
    return {};
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
