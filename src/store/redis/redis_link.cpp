#include "store/redis/redis_link.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <system_error>
#include <unistd.h>

#include "store/redis/redis_wire.hpp"

namespace floodgate::store {
namespace {

using std::chrono::steady_clock;

constexpr int tries_max = 8;  // redirections of one call
constexpr milliseconds short_pause{10}, slots_pause{100};
constexpr std::uint64_t timer_mark = 0;

timespec to_timespec(steady_clock::time_point t) {
    using namespace std::chrono;
    const auto ns = std::max<std::int64_t>(1, nanoseconds(t.time_since_epoch()).count());
    constexpr std::int64_t per_second = 1'000'000'000;
    return {.tv_sec = ns / per_second, .tv_nsec = ns % per_second};
}

}  // namespace

redis_link::redis_link(redis_options options) : options_(std::move(options)) {
    epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
    timer_ = ::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    epoll_event watch{};
    watch.events = EPOLLIN;
    watch.data.u64 = timer_mark;
    if (epoll_ < 0 || timer_ < 0 || ::epoll_ctl(epoll_, EPOLL_CTL_ADD, timer_, &watch) != 0) {
        const int error = errno;
        if (timer_ >= 0) ::close(timer_);
        if (epoll_ >= 0) ::close(epoll_);
        throw std::system_error(error, std::generic_category(), "no descriptor for a Redis link");
    }
    for (const std::string& address : options_.addresses) server_at(address);
    slots_wanted_ = options_.cluster;
    wake_at(steady_clock::now());
}

redis_link::~redis_link() {
    servers_.clear();
    ::close(timer_);
    ::close(epoll_);
}

int redis_link::fd() const { return epoll_; }

void redis_link::wake_at(time when) {
    owner_wants_ = when;
    arm(steady_clock::now());
}

redis_link::server& redis_link::server_at(const std::string& address) {
    for (const auto& s : servers_)
        if (s->channel->address() == address) return *s;
    auto s = std::make_unique<server>();
    s->mark = ++marks_;
    s->channel = std::make_unique<redis_channel>(address, options_, epoll_, s->mark);
    return *servers_.emplace_back(std::move(s));
}

redis_link::server* redis_link::server_for(const pending& p) {
    if (!p.only_at.empty()) return &server_at(p.only_at);
    if (!options_.cluster) return servers_[master_].get();
    if (!slots_) return nullptr;
    const std::string& address = slots_->server_of(redis_slot(p.what.key));
    return address.empty() ? nullptr : &server_at(address);
}

void redis_link::run(call c) {
    auto p = std::make_unique<pending>();
    p->what = std::move(c);
    p->not_before = p->what.not_before;
    waiting_.push_back(std::move(p));
}

void redis_link::run_again(std::unique_ptr<pending> p, time not_before) {
    if (++p->tries > tries_max) return p->what.done(outcome::not_executed, {});
    p->not_before = not_before;
    waiting_.push_back(std::move(p));
}

// Whatever waits and can go, goes.
void redis_link::place(time now) {
    for (std::size_t left = waiting_.size(); left > 0; --left) {
        std::unique_ptr<pending> p = std::move(waiting_.front());
        waiting_.pop_front();
        server* s = p->not_before <= now ? server_for(*p) : nullptr;
        if (s && s->channel->ready() && !s->to_be_left) {
            send_to(*s, std::move(p));
        } else {
            if (p->not_before <= now) slots_wanted_ = options_.cluster;
            waiting_.push_back(std::move(p));
        }
    }
}

void redis_link::send_to(server& s, std::unique_ptr<pending> p) {
    if (p->asking) {
        s.channel->append({}, {"ASKING"});
        s.owed.emplace_back();
    }
    const redis_script& script = *p->what.script;
    if (p->whole) {
        s.channel->append(p->what.words, {"EVAL", script.text()});
    } else {
        s.channel->append(p->what.words, {"EVALSHA", script.sha()});
    }
    s.owed.push_back({std::move(p), false});
}

void redis_link::send() {
    const time now = steady_clock::now();
    place(now);
    for (const auto& s : servers_)
        if (s->channel->ready()) s->channel->flush();
    arm(now);
}

void redis_link::turn() {
    std::array<epoll_event, 32> events;
    const int n = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 0);
    const time now = steady_clock::now();
    for (int i = 0; i < n; ++i) {
        const epoll_event& e = events[static_cast<std::size_t>(i)];
        on_event(e.data.u64, e.events, now);
    }
    if (owner_wants_ <= now) owner_wants_ = time::max();
    expire(now);
    tend(now);
    ask_for_slots(now);
    send();
}

void redis_link::on_event(std::uint64_t mark, std::uint32_t events, time now) {
    if (mark == timer_mark) {
        std::uint64_t ticks = 0;
        (void)!::read(timer_, &ticks, sizeof ticks);
        armed_for_ = time::max();
        return;
    }
    const auto found = std::ranges::find(servers_, mark, [](const auto& s) { return s->mark; });
    if (found == servers_.end()) return;
    server& s = **found;
    s.channel->on_ready(events, now);
    take_answers(s, now);
    if (s.channel->broken() || s.to_be_left) lose(s, now);
}

void redis_link::take_answers(server& s, time now) {
    redis_reply reply;
    while (s.channel->ready() && !s.owed.empty() && s.channel->next(reply)) {
        debt paid = std::move(s.owed.front());
        s.owed.pop_front();
        if (paid.slots) {
            take_slots(s, reply);
        } else if (paid.of && reply.what == redis_reply::kind::error) {
            on_error(s, std::move(paid.of), std::move(reply), now);
        } else if (paid.of) {
            paid.of->what.done(outcome::replied, std::move(reply));
        }
    }
}

void redis_link::on_error(server& s, std::unique_ptr<pending> p, redis_reply reply, time now) {
    const redis_error error = read_redis_error(reply.text, s.channel->address());
    p->asking = false;
    p->only_at.clear();
    switch (error.what) {
    case redis_says::moved:
        if (slots_) slots_->moved(static_cast<std::uint16_t>(error.slot), error.address);
        slots_wanted_ = options_.cluster;
        return run_again(std::move(p), now);
    case redis_says::ask:
        p->asking = true;
        p->only_at = error.address;
        return run_again(std::move(p), now);
    case redis_says::unknown_script: p->whole = true; return run_again(std::move(p), now);
    case redis_says::try_again: return run_again(std::move(p), now + short_pause);
    case redis_says::read_only:
        s.to_be_left = !options_.cluster;
        slots_wanted_ = options_.cluster;
        return run_again(std::move(p), now + short_pause);
    case redis_says::loading:
    case redis_says::cluster_down:
        slots_wanted_ = options_.cluster;
        return p->what.done(outcome::not_executed, {});
    case redis_says::refused: break;
    }
    p->what.done(outcome::replied, std::move(reply));
}

void redis_link::lose(server& s, time now) {
    s.channel->lose(now);
    s.to_be_left = false;
    slots_wanted_ = options_.cluster;
    if (!options_.cluster && &s == servers_[master_].get())
        master_ = (master_ + 1) % servers_.size();
    std::deque<debt> owed;
    owed.swap(s.owed);
    for (debt& d : owed) {
        if (d.slots) slots_asked_ = false;
        if (!d.of) continue;
        const bool late = d.of->what.deadline <= now;
        d.of->what.done(late ? outcome::timed_out : outcome::unknown, {});
    }
}

bool redis_link::overdue(const server& s, time now) const {
    return std::ranges::any_of(s.owed, [&](const debt& d) {
        return d.slots ? slots_asked_at_ + options_.connect_timeout <= now
                       : d.of && d.of->what.deadline <= now;
    });
}

// A server that is late with one answer is left: what was sent to it may yet be executed, and
// nothing more is to pile up there.
void redis_link::expire(time now) {
    for (std::size_t left = waiting_.size(); left > 0; --left) {
        std::unique_ptr<pending> p = std::move(waiting_.front());
        waiting_.pop_front();
        if (p->what.deadline <= now) {
            p->what.done(outcome::not_executed, {});
        } else {
            waiting_.push_back(std::move(p));
        }
    }
    for (const auto& s : servers_)
        if (s->channel->broken() || overdue(*s, now)) lose(*s, now);
}

void redis_link::tend(time now) {
    if (options_.cluster) {
        for (const auto& s : servers_) s->channel->tend(now);
        return;
    }
    // Of several, the first that answers as a master: one that was left rests, the next is tried.
    for (std::size_t i = 0; i < servers_.size(); ++i) {
        redis_channel& channel = *servers_[master_]->channel;
        channel.tend(now);
        if (!channel.resting()) return;
        master_ = (master_ + 1) % servers_.size();
    }
}

void redis_link::ask_for_slots(time now) {
    if (!slots_wanted_ || slots_asked_ || now < slots_asked_at_ + slots_pause) return;
    for (std::size_t i = 0; i < servers_.size(); ++i) {
        server& s = *servers_[slots_turn_++ % servers_.size()];
        if (!s.channel->ready()) continue;
        s.channel->append({}, {"CLUSTER", "SLOTS"});
        s.owed.push_back({nullptr, true});
        slots_asked_ = true;
        slots_asked_at_ = now;
        return;
    }
}

void redis_link::take_slots(const server& from, const redis_reply& reply) {
    slots_asked_ = false;
    auto read = redis_slots::from(reply, from.channel->address());
    if (!read) return;
    slots_ = std::move(read);
    slots_wanted_ = false;
    // A server that has left the cluster, and is none of those we were told of, is forgotten.
    const auto masters = slots_->masters();
    std::erase_if(servers_, [&](const auto& s) {
        const std::string& address = s->channel->address();
        return s.get() != &from && s->owed.empty() &&
               std::ranges::find(masters, address) == masters.end() &&
               std::ranges::find(options_.addresses, address) == options_.addresses.end();
    });
}

redis_link::time redis_link::next_moment(time now) const {
    time next = owner_wants_;
    for (const auto& p : waiting_) {
        next = std::min(next, p->what.deadline);
        if (p->not_before > now) next = std::min(next, p->not_before);
    }
    bool somebody = false;
    // Without a cluster only one server is tended, unless all of them rest.
    const bool one = !options_.cluster && !servers_[master_]->channel->resting();
    for (const auto& s : servers_) {
        somebody = somebody || s->channel->ready();
        if (s->channel->broken()) next = now;
        if (!one || s == servers_[master_]) next = std::min(next, s->channel->attention_at(now));
        for (const debt& d : s->owed) {
            if (d.of) next = std::min(next, d.of->what.deadline);
            if (d.slots) next = std::min(next, slots_asked_at_ + options_.connect_timeout);
        }
    }
    if (slots_wanted_ && !slots_asked_ && somebody)
        next = std::min(next, slots_asked_at_ + slots_pause);
    return next;
}

// The timer is only ever set earlier; when it fires too early nothing is lost.
void redis_link::arm(time now) {
    const time next = next_moment(now);
    if (next >= armed_for_) return;
    itimerspec when{};
    when.it_value = to_timespec(std::max(next, now));
    if (::timerfd_settime(timer_, TFD_TIMER_ABSTIME, &when, nullptr) == 0) armed_for_ = next;
}

}  // namespace floodgate::store
