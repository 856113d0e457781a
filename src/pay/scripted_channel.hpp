// For tests: a channel that answers what it was told to, order by order, and counts.

#pragma once

#include <atomic>
#include <deque>
#include <initializer_list>
#include <map>
#include <mutex>
#include <stdexcept>

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

    std::string_view method() const override { return method_; }
    result<checkout> begin(const sale::order& o) override { return answer(begins, o); }
    trade query(const sale::order& o) override { return answer(queries, o); }
    trade close(const sale::order& o) override { return answer(closes, o); }
    refund_answer refund(const sale::order& o) override { return answer(refunds, o); }

private:
    template <class Answer>
    Answer answer(script<Answer>& from, const sale::order& o) {
        Answer a = from.next(o.no);
        if (throws) throw std::runtime_error("the channel fell over");
        return a;
    }

    const std::string method_;
};

}  // namespace floodgate::pay
