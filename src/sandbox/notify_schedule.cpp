#include "sandbox/notify_schedule.hpp"

#include <algorithm>
#include <cassert>
#include <tuple>

#include "base/log.hpp"

namespace floodgate::sandbox {
namespace {

using namespace std::chrono_literals;

constexpr milliseconds alipay_pauses[] = {4min, 10min, 10min, 1h, 2h, 6h, 15h};
constexpr milliseconds wechat_pauses[] = {15s,   15s,   30s, 3min, 10min, 20min, 30min, 30min,
                                          30min, 60min, 3h,  3h,   3h,    6h,    6h};
constexpr milliseconds hold_max = 10s;
constexpr milliseconds copy_gap = 1ms;

constexpr const char* notifies_table = R"(
    CREATE TABLE IF NOT EXISTS notifies (
        id INTEGER PRIMARY KEY, channel TEXT NOT NULL, out_trade_no TEXT NOT NULL,
        url TEXT NOT NULL, content TEXT NOT NULL, tries INTEGER NOT NULL, due INTEGER NOT NULL,
        held INTEGER NOT NULL, last_status INTEGER NOT NULL))";

milliseconds pause_after(const notify& n, const switches& s) {
    milliseconds pause = retry_pauses(n.channel)[n.tries - 1];
    if (n.channel == channel::alipay && n.tries == 1) pause = s.alipay_first_retry;
    return pause / s.retry_divisor;
}

bool sooner(const notify& a, const notify& b) {
    return std::tie(a.due, a.id) < std::tie(b.due, b.id);
}

}  // namespace

std::span<const milliseconds> retry_pauses(channel c) {
    if (c == channel::alipay) return alipay_pauses;
    return wechat_pauses;
}

notify_schedule::notify_schedule(store::database& db, std::size_t most) : db_(db), most_(most) {
    assert(most_ > 0);
    const auto c = db_.writer();
    c->execute(notifies_table);
    auto rows = c->ask("SELECT * FROM notifies ORDER BY id");
    while (rows.next()) {
        notify n;
        std::string channel;
        rows.read(n.id, channel, n.out_trade_no, n.url, n.content, n.tries, n.due, n.held,
                  n.last_status);
        n.channel = parse_channel(channel).value_or(channel::alipay);
        last_id_ = n.id;
        waiting_.emplace(n.id, std::move(n));
    }
}

void notify_schedule::keep(const notify& n) {
    db_.writer()->run("INSERT OR REPLACE INTO notifies VALUES (?,?,?,?,?,?,?,?,?)", n.id,
                      to_text(n.channel), n.out_trade_no, n.url, n.content, n.tries, n.due, n.held,
                      n.last_status);
    waiting_.insert_or_assign(n.id, n);
}

void notify_schedule::drop(std::int64_t id) {
    db_.writer()->run("DELETE FROM notifies WHERE id = ?", id);
    waiting_.erase(id);
}

notify* notify_schedule::held_for(const notify& n) {
    for (auto& [id, other] : waiting_)
        if (other.held && other.channel == n.channel && other.out_trade_no == n.out_trade_no)
            return &other;
    return nullptr;
}

void notify_schedule::add(notify n, const switches& s, instant now) {
    if (s.notify_never || n.url.empty()) return;
    n.due = now + s.notify_delay;
    if (s.notify_out_of_order) {
        n.held = held_for(n) == nullptr;
        if (n.held) n.due += hold_max / s.retry_divisor;
    }
    for (std::int64_t copy = 0; copy < s.notify_copies; ++copy) {
        while (waiting_.size() >= most_) drop(std::ranges::min(all(), sooner).id);
        n.id = ++last_id_;
        keep(n);
        n.due += copy_gap;
    }
    if (n.held) return;
    while (notify* earlier = held_for(n)) {
        notify released = *earlier;
        released.held = false;
        released.due = n.due;  // after the last copy of the later message
        keep(released);
    }
}

std::vector<notify> notify_schedule::due(instant now, std::size_t most) const {
    std::vector<notify> found;
    for (const auto& [id, n] : waiting_)
        if (n.due <= now) found.push_back(n);
    std::ranges::sort(found, sooner);
    if (found.size() > most) found.resize(most);
    return found;
}

void notify_schedule::settle(std::int64_t id, bool taken, int status, const switches& s,
                             instant now) {
    const auto found = waiting_.find(id);
    if (found == waiting_.end()) return;
    notify n = found->second;
    ++n.tries;
    n.held = false;
    n.last_status = status;
    if (taken) return drop(id);
    if (n.tries > retry_pauses(n.channel).size()) {
        log::warning("sandbox.notify_given_up", "channel", to_text(n.channel), "out_trade_no",
                     n.out_trade_no, "status", status);
        return drop(id);
    }
    n.due = now + pause_after(n, s);
    keep(n);
}

instant notify_schedule::next_due() const {
    instant next = never;
    for (const auto& [id, n] : waiting_) next = std::min(next, n.due);
    return next;
}

std::vector<notify> notify_schedule::all() const {
    std::vector<notify> found;
    for (const auto& [id, n] : waiting_) found.push_back(n);
    return found;
}

}  // namespace floodgate::sandbox
