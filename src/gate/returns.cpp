#include "gate/returns.hpp"

#include "base/log.hpp"
#include "base/thread.hpp"
#include "gate/scripts.hpp"

namespace floodgate::gate {
namespace {

constexpr std::size_t waiting_max = 1'000'000;
constexpr milliseconds step{20};     // how soon a wish to reflect is seen
constexpr int steps_per_round = 10;  // 200 ms: reflections are checked, releases tried again
constexpr std::size_t tries_per_round = 1000;

}  // namespace

returns::returns(store::redis& redis, const gate_keys& keys, reflections& refusals,
                 std::function<void(sale::sale_id)> lifted)
    : redis_(redis), keys_(keys), refusals_(refusals), lifted_(std::move(lifted)), thread_([this] {
          work();
      }) {}

returns::~returns() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    stopped_.notify_all();
    thread_.join();
    if (!waiting_.empty())
        log::warning("gate.releases_forgotten", "orders", waiting_.size());  // a rebuild finds them
}

std::size_t returns::waiting() const {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
}

bool returns::try_release(const unit& u) {
    const sale::partition p = keys_.home_of(u.sale);
    const sale_keys of = keys_.of(u.sale);
    const auto back =
        redis_.run(scripts::release(), {keys_.gate(p), keys_.freed(p), of.sale, of.buyers},
                   {packed(u.buyer), packed(u.order)});
    if (!back) return false;
    if (back->integer > 0) {
        refusals_.lift(u.sale);
        if (lifted_) lifted_(u.sale);
    }
    return true;
}

void returns::release(const unit& u) {
    if (try_release(u)) return;
    const std::lock_guard lock(mutex_);
    if (waiting_.size() < waiting_max) return waiting_.push_back(u);
    log::error("gate.release_dropped", "sale", u.sale.value, "order", u.order.value);
}

void returns::try_again() {
    for (std::size_t i = 0; i < tries_per_round; ++i) {
        unit next;
        {
            const std::lock_guard lock(mutex_);
            if (stop_ || waiting_.empty()) return;
            next = waiting_.front();
        }
        if (!try_release(next)) return;
        const std::lock_guard lock(mutex_);
        waiting_.pop_front();  // only this thread takes from the front
    }
}

void returns::work() {
    name_thread("gate.returns");
    for (int n = 1;; ++n) {
        {
            std::unique_lock lock(mutex_);
            if (stopped_.wait_for(lock, step, [this] { return stop_; })) return;
        }
        if (n % steps_per_round == 0) try_again();
        if (n % steps_per_round == 0 || refusals_.wanted()) refusals_.look_after();
    }
}

}  // namespace floodgate::gate
