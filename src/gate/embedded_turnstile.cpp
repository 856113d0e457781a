#include "gate/embedded_turnstile.hpp"

#include <algorithm>
#include <deque>
#include <utility>

namespace floodgate::gate {
namespace {

constexpr std::size_t keys_forgotten_at_once = 1000;  // about 0.1 ms of lock

}  // namespace

class embedded_turnstile::embedded_lane final : public lane {
public:
    embedded_lane(embedded_turnstile& owner, std::function<void()> wake)
        : owner_(owner), wake_(std::move(wake)) {
        const std::lock_guard lock(owner_.lanes_mutex_);
        owner_.lanes_.push_back(this);
    }
    ~embedded_lane() override {
        const std::lock_guard lock(owner_.lanes_mutex_);
        std::erase(owner_.lanes_, this);
    }

    void submit(std::span<const sale::attempt> attempts, instant now) override;
    void collect(std::vector<sale::verdict>& out) override;
    void wake_if_waiting() {
        if (waiting_.exchange(false)) wake_();
    }

private:
    struct held_back {
        sale::verdict verdict;
        sale::sequence rests_on;
    };

    held_back judge(const sale::attempt& a, instant now, bool may_promise);

    embedded_turnstile& owner_;
    std::function<void()> wake_;
    std::deque<held_back> held_back_;  // in order of submission, so nearly in order of sequence
    std::atomic<bool> waiting_{false};
};

// To be called under the owner's lock.
embedded_turnstile::embedded_lane::held_back embedded_turnstile::embedded_lane::judge(
    const sale::attempt& a, instant now, bool may_promise) {
    const decision d = owner_.arbiter_.decide(a, now, may_promise);
    switch (d.verdict.what) {
    case sale::answer::accepted: {
        const sale::sequence seq = owner_.line_.append(d.promise);
        owner_.arbiter_.put_down(d, seq);
        return {d.verdict, seq};
    }
    case sale::answer::repeated:
    case sale::answer::key_reused:
    case sale::answer::already_ordered:
    case sale::answer::sold_out:
    case sale::answer::not_enough: return {d.verdict, d.on->rests_on()};
    default: return {d.verdict, {}};
    }
}

void embedded_turnstile::embedded_lane::submit(std::span<const sale::attempt> attempts,
                                               instant now) {
    const bool may_promise = owner_.line_.backlog() < owner_.options_.backlog_max;
    std::array<std::uint32_t, sale::answers + 1> counted{};
    mark last;
    {
        const std::lock_guard lock(owner_.mutex_);
        for (const sale::attempt& a : attempts) {
            held_back_.push_back(judge(a, now, may_promise));
            const auto what = held_back_.back().verdict.what;
            ++counted[static_cast<std::size_t>(what)];
            if (what == sale::answer::accepted)
                last = {held_back_.back().rests_on, held_back_.back().verdict.order};
        }
        if (last.order.value != 0) {
            owner_.newest_durable();
            owner_.marks_.push_back(last);
        }
    }
    if (last.order.value != 0) owner_.line_.push();
    for (std::size_t i = 0; i < counted.size(); ++i)
        if (counted[i]) owner_.by_answer_[i].fetch_add(counted[i], std::memory_order_relaxed);
}

void embedded_turnstile::embedded_lane::collect(std::vector<sale::verdict>& out) {
    // Announce the wait before looking, so that a sync that ends in between still wakes us.
    waiting_.store(true);
    const sale::sequence durable = owner_.line_.durable();
    while (!held_back_.empty() && held_back_.front().rests_on <= durable) {
        out.push_back(held_back_.front().verdict);
        held_back_.pop_front();
    }
    if (held_back_.empty()) waiting_.store(false);
}

embedded_turnstile::embedded_turnstile(sale::promise_line& line, options opts)
    : line_(line), options_(opts), arbiter_(opts.node) {
    line_.on_durable([this] { wake_lanes(); });
}

embedded_turnstile::~embedded_turnstile() { line_.on_durable({}); }

void embedded_turnstile::wake_lanes() {
    const std::lock_guard lock(lanes_mutex_);
    for (embedded_lane* l : lanes_) l->wake_if_waiting();
}

// To be called under mutex_.
sale::order_no embedded_turnstile::newest_durable() {
    const sale::sequence durable = line_.durable();
    while (!marks_.empty() && marks_.front().seq <= durable) {
        newest_durable_ = marks_.front().order;
        marks_.pop_front();
    }
    return newest_durable_;
}

result<void> embedded_turnstile::load(const sale::sale& s, std::span<const sale::promise> held,
                                      std::span<const sale::promise> spent,
                                      std::span<const cooling_buyer> cooling) {
    const std::lock_guard lock(mutex_);
    if (arbiter_.find(s.id)) return make_error_code(errc::conflict);
    if (auto loaded = arbiter_.warm_up(s); !loaded) return loaded;
    for (const sale::promise& p : held) {
        newest_durable_ = std::max(newest_durable_, p.order);
        arbiter_.restore(p, {});
    }
    for (const sale::promise& p : spent) arbiter_.restore_key(p);
    for (const cooling_buyer& b : cooling) arbiter_.find(s.id)->cool(b);
    return {};
}

void embedded_turnstile::restore(const sale::promise& p, sale::sequence seq) {
    newest_durable_ = std::max(newest_durable_, p.order);
    arbiter_.restore(p, seq);
}

void embedded_turnstile::skip_past(sale::order_no seen) { arbiter_.skip_past(seen); }

std::unique_ptr<lane> embedded_turnstile::open_lane(std::function<void()> wake) {
    return std::make_unique<embedded_lane>(*this, std::move(wake));
}

result<void> embedded_turnstile::warm_up(const sale::sale& s) {
    const std::lock_guard lock(mutex_);
    return arbiter_.warm_up(s);
}

result<void> embedded_turnstile::forget(const sale::sale& s) {
    std::unique_ptr<shelf> gone;
    {
        const std::lock_guard lock(mutex_);
        const shelf* on = arbiter_.find(s.id);
        if (!on) return {};
        if (on->terms().revision > s.revision) return make_error_code(errc::conflict);
        gone = arbiter_.forget(s.id);
    }
    const std::vector<sale::idempotency_key> keys = gone->keys();
    for (std::span<const sale::idempotency_key> rest = keys; !rest.empty();) {
        const auto some = rest.first(std::min(rest.size(), keys_forgotten_at_once));
        rest = rest.subspan(some.size());
        const std::lock_guard lock(mutex_);
        arbiter_.forget_keys(s.id, some);
    }
    return {};
}

void embedded_turnstile::release(const returned& r) {
    const std::lock_guard lock(mutex_);
    shelf* on = arbiter_.find(r.sale);
    if (!on) return;
    on->release(r.buyer, r.order, r.withdrawn_at);
    if (!r.wait.lasts()) return;
    on->forget_cooled(r.wait.from);
    on->cool({r.buyer, r.wait.until});
}

std::optional<standing> embedded_turnstile::look_up(sale::sale_id sale) {
    const std::lock_guard lock(mutex_);
    const shelf* on = arbiter_.find(sale);
    if (!on) return std::nullopt;
    return on->look();
}

std::vector<turnstile::promised> embedded_turnstile::promised_to(sale::user_id buyer) {
    const std::lock_guard lock(mutex_);
    std::vector<promised> out = arbiter_.promised_to(buyer);
    std::erase_if(out,
                  [durable = newest_durable()](const promised& p) { return p.order > durable; });
    return out;
}

std::vector<held_unit> embedded_turnstile::held_in(sale::sale_id sale) {
    const std::lock_guard lock(mutex_);
    shelf* on = arbiter_.find(sale);
    return on ? on->held() : std::vector<held_unit>();
}

result<void> embedded_turnstile::retake(const sale::promise& p) {
    const std::lock_guard lock(mutex_);
    return arbiter_.retake(p);
}

embedded_turnstile::counts embedded_turnstile::read_counts() const {
    counts out;
    for (std::size_t i = 0; i < by_answer_.size(); ++i)
        out.by_answer[i] = by_answer_[i].load(std::memory_order_relaxed);
    return out;
}

}  // namespace floodgate::gate
