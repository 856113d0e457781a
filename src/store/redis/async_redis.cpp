#include "store/redis/async_redis.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <system_error>
#include <unistd.h>

#include "store/redis/errors.hpp"

namespace floodgate::store {
namespace {

constexpr milliseconds slots_pause{100};
constexpr std::uint64_t timer_mark = 0;

timespec to_timespec(steady::time_point t) {
    using namespace std::chrono;
    const auto ns = std::max<std::int64_t>(1, nanoseconds(t.time_since_epoch()).count());
    constexpr std::int64_t per_second = 1'000'000'000;
    return {.tv_sec = ns / per_second, .tv_nsec = ns % per_second};
}

}  // namespace

async_redis::async_redis(redis_options options) : options_(std::move(options)) {
    epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
    timer_ = ::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    epoll_event watch{};
    watch.events = EPOLLIN;
    watch.data.u64 = timer_mark;
    if (epoll_ < 0 || timer_ < 0 || ::epoll_ctl(epoll_, EPOLL_CTL_ADD, timer_, &watch) != 0) {
        const int error = errno;
        if (timer_ >= 0) ::close(timer_);
        if (epoll_ >= 0) ::close(epoll_);
        throw std::system_error(error, std::generic_category(), "no descriptor for a Redis client");
    }
    for (const std::string& address : options_.addresses) server_at(address);
    slots_wanted_ = options_.cluster;
    wake_at(steady::now());
}

async_redis::~async_redis() {
    servers_.clear();
    ::close(timer_);
    ::close(epoll_);
}

int async_redis::fd() const { return epoll_; }

void async_redis::wake_at(time when) {
    owner_wants_ = when;
    arm(steady::now());
}

async_redis::server& async_redis::server_at(const std::string& address) {
    for (const auto& s : servers_)
        if (s->connection->address() == address) return *s;
    auto s = std::make_unique<server>();
    s->mark = ++marks_;
    s->connection = std::make_unique<async_redis_connection>(address, options_, epoll_, s->mark);
    return *servers_.emplace_back(std::move(s));
}

async_redis::server* async_redis::server_for(const pending& p) {
    if (!p.only_at.empty()) return &server_at(p.only_at);
    if (!options_.cluster) return servers_[master_].get();
    if (!slots_) return nullptr;
    const std::string& address = slots_->server_of(redis_slot(p.what.command.key));
    return address.empty() ? nullptr : &server_at(address);
}

void async_redis::run(call c) {
    auto p = std::make_unique<pending>();
    p->what = std::move(c);
    p->not_before = p->what.not_before;
    waiting_.push_back(std::move(p));
}

void async_redis::run_again(std::unique_ptr<pending> p, time not_before) {
    if (++p->tries > redis_tries_max) return p->what.done(outcome::not_executed, {});
    p->not_before = not_before;
    waiting_.push_back(std::move(p));
}

// Sends every waiting call that can go now.
void async_redis::place(time now) {
    for (std::size_t left = waiting_.size(); left > 0; --left) {
        std::unique_ptr<pending> p = std::move(waiting_.front());
        waiting_.pop_front();
        server* s = p->not_before <= now ? server_for(*p) : nullptr;
        if (s && s->connection->ready() && !s->to_be_left) {
            send_to(*s, std::move(p));
        } else {
            if (p->not_before <= now) slots_wanted_ = options_.cluster;
            waiting_.push_back(std::move(p));
        }
    }
}

void async_redis::send_to(server& s, std::unique_ptr<pending> p) {
    std::size_t answers = s.connection->append(p->what.command, p->how);
    while (--answers > 0) s.owed.emplace_back();
    s.owed.push_back({std::move(p), false});
}

void async_redis::send() {
    const time now = steady::now();
    place(now);
    for (const auto& s : servers_)
        if (s->connection->ready()) s->connection->flush();
    arm(now);
}

void async_redis::turn() {
    std::array<epoll_event, 32> events;
    const int n = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 0);
    const time now = steady::now();
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

void async_redis::on_event(std::uint64_t mark, std::uint32_t events, time now) {
    if (mark == timer_mark) {
        std::uint64_t ticks = 0;
        (void)!::read(timer_, &ticks, sizeof ticks);
        armed_for_ = time::max();
        return;
    }
    const auto found = std::ranges::find(servers_, mark, [](const auto& s) { return s->mark; });
    if (found == servers_.end()) return;
    server& s = **found;
    s.connection->on_ready(events, now);
    take_answers(s, now);
    if (s.connection->broken() || s.to_be_left) lose(s, now);
}

void async_redis::take_answers(server& s, time now) {
    redis_reply reply;
    while (s.connection->ready() && !s.owed.empty() && s.connection->next(reply)) {
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

void async_redis::on_error(server& s, std::unique_ptr<pending> p, redis_reply reply, time now) {
    const redis_error said = read_redis_error(reply.text, s.connection->address());
    const auto next = step_after(said, p->what.command, p->how, options_.cluster);
    if (next.look_again) slots_wanted_ = options_.cluster;
    if (said.what == redis_says::moved && slots_)
        slots_->moved(static_cast<std::uint16_t>(said.slot), said.address);
    if (said.what == redis_says::read_only) s.to_be_left = !options_.cluster;
    p->only_at = p->how.asking ? said.address : std::string();
    switch (next.what) {
    case redis_step::kind::deliver: return p->what.done(outcome::replied, std::move(reply));
    case redis_step::kind::give_up: return p->what.done(outcome::not_executed, {});
    case redis_step::kind::send_again: return run_again(std::move(p), now + next.pause);
    }
}

void async_redis::lose(server& s, time now) {
    s.connection->lose(now);
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

bool async_redis::overdue(const server& s, time now) const {
    return std::ranges::any_of(s.owed, [&](const debt& d) {
        return d.slots ? slots_asked_at_ + options_.connect_timeout <= now
                       : d.of && d.of->what.deadline <= now;
    });
}

// Closes the connection to a server that is late with one answer: its commands may still be
// executed, and no more of them should pile up there.
void async_redis::expire(time now) {
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
        if (s->connection->broken() || overdue(*s, now)) lose(*s, now);
}

void async_redis::tend(time now) {
    if (options_.cluster) {
        for (const auto& s : servers_) s->connection->tend(now);
        return;
    }
    // Take the first of several servers that answers as a master: a connection that was lost rests
    // while the next server is tried.
    for (std::size_t i = 0; i < servers_.size(); ++i) {
        async_redis_connection& connection = *servers_[master_]->connection;
        connection.tend(now);
        if (!connection.resting()) return;
        master_ = (master_ + 1) % servers_.size();
    }
}

void async_redis::ask_for_slots(time now) {
    if (!slots_wanted_ || slots_asked_ || now < slots_asked_at_ + slots_pause) return;
    for (std::size_t i = 0; i < servers_.size(); ++i) {
        server& s = *servers_[slots_turn_++ % servers_.size()];
        if (!s.connection->ready()) continue;
        s.connection->append({"", {"CLUSTER", "SLOTS"}});
        s.owed.push_back({nullptr, true});
        slots_asked_ = true;
        slots_asked_at_ = now;
        return;
    }
}

void async_redis::take_slots(const server& from, const redis_reply& reply) {
    slots_asked_ = false;
    auto read = redis_slots::from(reply, from.connection->address());
    if (!read) return;
    slots_ = std::move(read);
    slots_wanted_ = false;
    // Forget a server that has left the cluster, unless it is one of the configured addresses.
    const auto masters = slots_->masters();
    std::erase_if(servers_, [&](const auto& s) {
        const std::string& address = s->connection->address();
        return s.get() != &from && s->owed.empty() &&
               std::ranges::find(masters, address) == masters.end() &&
               std::ranges::find(options_.addresses, address) == options_.addresses.end();
    });
}

async_redis::time async_redis::next_moment(time now) const {
    time next = owner_wants_;
    for (const auto& p : waiting_) {
        next = std::min(next, p->what.deadline);
        if (p->not_before > now) next = std::min(next, p->not_before);
    }
    bool one_ready = false;
    // Without a cluster only one server is connected to, unless that connection rests.
    const bool one = !options_.cluster && !servers_[master_]->connection->resting();
    for (const auto& s : servers_) {
        one_ready = one_ready || s->connection->ready();
        if (s->connection->broken()) next = now;
        if (!one || s == servers_[master_]) next = std::min(next, s->connection->attention_at(now));
        for (const debt& d : s->owed) {
            if (d.of) next = std::min(next, d.of->what.deadline);
            if (d.slots) next = std::min(next, slots_asked_at_ + options_.connect_timeout);
        }
    }
    if (slots_wanted_ && !slots_asked_ && one_ready)
        next = std::min(next, slots_asked_at_ + slots_pause);
    return next;
}

// The timer is only ever set to an earlier time. If it fires too early, this does no harm.
void async_redis::arm(time now) {
    const time next = next_moment(now);
    if (next >= armed_for_) return;
    itimerspec when{};
    when.it_value = to_timespec(std::max(next, now));
    if (::timerfd_settime(timer_, TFD_TIMER_ABSTIME, &when, nullptr) == 0) armed_for_ = next;
}

}  // namespace floodgate::store
