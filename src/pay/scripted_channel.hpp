// For tests: a channel that answers what it was told to, order by order, and counts.

#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <initializer_list>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>

#include "pay/call_recording.hpp"
#include "pay/channel.hpp"

namespace floodgate::pay {

// The answers of one call: first those queued for the order, one after the other, then the usual
// one.
template <class Answer>
class script {
public:
    explicit script(Answer usual) : usual_(std::move(usual)) {}

    void always(Answer usual) {
        const std::scoped_lock held(mutex_);
        usual_ = std::move(usual);
    }
    void queue(sale::order_no no, std::initializer_list<Answer> answers) {
        const std::scoped_lock held(mutex_);
        queued_[no].insert(queued_[no].end(), answers);
    }
    std::uint64_t calls() const {
        const std::scoped_lock held(mutex_);
        return calls_;
    }
    bool has_queued(sale::order_no no) const {
        const std::scoped_lock held(mutex_);
        const auto found = queued_.find(no);
        return found != queued_.end() && !found->second.empty();
    }
    Answer next(sale::order_no no) {
        const std::scoped_lock held(mutex_);
        ++calls_;
        const auto found = queued_.find(no);
        if (found == queued_.end() || found->second.empty()) return usual_;
        Answer a = std::move(found->second.front());
        found->second.pop_front();
        return a;
    }

private:
    mutable std::mutex mutex_;
    Answer usual_;
    std::map<sale::order_no, std::deque<Answer>> queued_;
    std::uint64_t calls_ = 0;
};

class scripted_channel final : public channel {
public:
    explicit scripted_channel(std::string method = "scripted") : method_(std::move(method)) {}
    using channel::answer;

    script<result<checkout>> begins{checkout{.paid = false, .redirect = "https://pay.example/1"}};
    script<trade> queries{trade::open};
    script<trade> closes{trade::closed};
    script<refund_answer> refunds{refund_answer::done};
    std::atomic<bool> throws{false};  // whatever it is asked
    // What it says about a message; to be set before the first one. Empty: it sends none.
    std::function<message(const raw_message&)> reads{};
    message_answer when_taken{200, "text/plain", "success"};
    message_answer when_refused{200, "text/plain", "fail"};

    std::string_view method() const override { return method_; }
    result<checkout> begin(const sale::order& o) override { return answer("begin", begins, o); }
    // A trade that it closed is not open any more, unless that was queued.
    trade query(const sale::order& o) override {
        const bool told = queries.has_queued(o.no);
        const trade said = answer("query", queries, o);
        const std::scoped_lock held(mutex_);
        return !told && said == trade::open && closed_.contains(o.no) ? trade::closed : said;
    }
    trade close(const sale::order& o) override {
        const trade said = answer("close", closes, o);
        const std::scoped_lock held(mutex_);
        if (said == trade::closed) closed_.insert(o.no);
        return said;
    }
    refund_answer refund(const sale::order& o, const refund_request& r) override {
        {
            const std::scoped_lock held(mutex_);
            refund_requests_[o.no].push_back(r);
        }
        return answer("refund", refunds, o);
    }
    // What it was asked to give back of an order, in order.
    std::vector<refund_request> refund_requests(sale::order_no no) {
        const std::scoped_lock held(mutex_);
        return refund_requests_[no];
    }
    bool sends_messages() const override { return bool(reads); }
    message read(const raw_message& m, instant) override {
        if (throws) throw std::runtime_error("the channel fell over");
        return reads(m);
    }
    message_answer answer(bool taken) const override { return taken ? when_taken : when_refused; }

private:
    template <class Answer>
    Answer answer(const char* asked, script<Answer>& from, const sale::order& o) {
        noted_call noted(asked, clock_);
        Answer a = from.next(o.no);
        if (!throws) noted.came_to(call_outcome::answered, said(a));
        if (throws) throw std::runtime_error("the channel fell over");
        return a;
    }

    static std::string said(const result<checkout>& a) { return a ? "begun" : "refused"; }
    static std::string said(trade t) { return to_text(t); }
    static std::string said(refund_answer a) { return a == refund_answer::done ? "done" : "wait"; }

    const std::string method_;
    const wall_clock clock_{};
    std::mutex mutex_;
    std::set<sale::order_no> closed_;
    std::map<sale::order_no, std::vector<refund_request>> refund_requests_;
};

}  // namespace floodgate::pay
