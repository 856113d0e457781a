#include "clerk/desk.hpp"

#include <algorithm>
#include <cassert>

#include "base/log.hpp"
#include "sale/order_number.hpp"

namespace floodgate::clerk {
namespace {

constexpr std::uint64_t tries_before_blame = 3;

// One log line for each batch; the ledger has every refusal as a failed order.
void log_refusals(std::span<const sale::order_news> news) {
    const auto is_refused = [](const sale::order_news& n) {
        return n.what.state == sale::order_state::failed;
    };
    const auto first = std::ranges::find_if(news, is_refused);
    if (first == news.end()) return;
    log::warning("clerk.refused", "orders", std::ranges::count_if(news, is_refused), "first_order",
                 sale::to_text(first->what.no), "first_sale", first->what.sale.value,
                 "first_reason", first->what.reason);
}

}  // namespace

desk::desk(const world& w, const options& o, sale::sequence entered)
    : world_(w),
      batch_max_(o.batch_max),
      retries_(o.retries),
      settlement_(w.turnstile, [&node = w.node](auto news) { node.tell(news); }),
      position_(entered.value) {
    assert(batch_max_ > 0);
    batch_.reserve(batch_max_);
}

outcome desk::step() {
    if (batch_.empty()) {
        if (const auto ended = gather()) return *ended;
    }
    return book();
}

void desk::note_oldest() {
    if (oldest_ms_ != 0 || backlog() == 0) return;
    std::vector<sale::promise> first;
    if (const auto got = world_.source.read(position(), 1, first); got && !first.empty())
        oldest_ms_ = to_ms(first.front().at);
}

// Reads the next batch. Empty: there is one to enter.
std::optional<outcome> desk::gather() {
    if (world_.source.durable() <= position()) {
        recover();  // nothing is left that could fail
        oldest_ms_ = 0;
        return outcome::nothing;
    }
    const result<void> got = world_.source.read(position(), batch_max_, batch_);
    if (got.has_error()) {
        batch_.clear();
        const outcome failed = fail("journal", got.error());
        return got.error() == errc::corrupt ? outcome::corrupt : failed;
    }
    assert(batch_.size() <= batch_max_);
    if (batch_.empty()) return outcome::nothing;
    pieces_.assign(1, batch_.size());
    done_ = 0;
    splitting_ = false;
    tries_ = 0;
    oldest_ms_ = to_ms(batch_.front().at);
    return std::nullopt;
}

outcome desk::book() {
    const instant begun = world_.clock.now();
    const piece next = piece(batch_).subspan(done_, pieces_.back());
    const sale::sequence last{position().value + next.size()};
    result<ledger::entry_report> report = world_.sink.enter(next, last);
    if (report.has_error()) return cope(next, report.error());

    recover();
    position_ = last.value;
    count(next, *report, begun);
    settle(next, std::move(*report));
    return advance();
}

// Splits a piece that the ledger refuses, until one promise stands alone. If the ledger is
// unreachable or damaged, or another node has taken over the line, the piece is kept and tried
// again; in the last case until this clerk is stopped.
outcome desk::cope(piece tried, boost::system::error_code error) {
    if (error == errc::corrupt || error == errc::fenced) return fail("ledger", error);
    if (error == errc::store_unavailable) {
        const outcome failed = fail("ledger", error);
        if (!is_to_blame(tried)) return failed;
    }
    if (tried.size() == 1) return put_aside(tried.front(), error);
    splitting_ = true;
    tries_ = 0;
    const std::size_t first = tried.size() / 2;
    pieces_.back() -= first;
    pieces_.push_back(first);
    return outcome::full;
}

// Whether the store is unavailable for this piece only. A single promise and a new batch are tried
// a few times while the ledger is well, so that a passing lock makes no letters.
bool desk::is_to_blame(piece tried) {
    tries_ = world_.sink.probe().has_value() ? tries_ + 1 : 0;
    const bool suspected = splitting_ && tried.size() > 1;
    return tries_ >= (suspected ? 1 : tries_before_blame);
}

outcome desk::put_aside(const sale::promise& p, boost::system::error_code error) {
    const instant now = world_.clock.now();
    const auto next_try =
        error == errc::store_unavailable ? retries_.next_try(1, now) : std::nullopt;
    const ledger::setback why{error.message(), !next_try, next_try.value_or(now), now};
    const sale::sequence place{position().value + 1};
    const result<void> aside = world_.sink.put_aside(p, place, why);
    if (aside.has_error()) return fail("letters", aside.error());

    recover();
    log::error("clerk.put_aside", "order", sale::to_text(p.order), "sale", p.sale.value, "reason",
               why.cause, "dead", why.permanent);
    position_ = place.value;
    world_.source.entered(place);
    {
        const std::lock_guard lock(mutex_);
        ++figures_.put_aside;
    }
    return advance();
}

// Moves on to the next piece of the batch, or ends the batch.
outcome desk::advance() {
    done_ += pieces_.back();
    pieces_.pop_back();
    tries_ = 0;
    // The next promise is not older than the last one of this piece.
    oldest_ms_ = backlog() > 0 ? to_ms(batch_[done_ - 1].at) : 0;
    if (!pieces_.empty()) return outcome::full;
    const bool full = batch_.size() == batch_max_;
    batch_.clear();
    return full ? outcome::full : outcome::part;
}

// The line forgets the batch last: a crash before that repeats it.
void desk::settle(piece entered, ledger::entry_report report) {
    std::vector<sale::order_news> news = sale::news_of(std::move(report.orders));
    if (report.refused > 0) log_refusals(news);
    if (report.known > 0) append_known(entered, news);
    settlement_.settle(news);
    world_.source.entered(position());
}

// An earlier try was committed although it seemed to fail, so the units of the promises that it
// refused were never released. The report has only what was written now, in the order of the
// promises. The others are looked up in the ledger one by one, because this is rare.
void desk::append_known(piece entered, std::vector<sale::order_news>& news) {
    const std::size_t written = news.size();
    std::size_t next = 0;
    for (const sale::promise& p : entered) {
        if (next < written && news[next].what.no == p.order) {
            ++next;
            continue;
        }
        if (result<sale::order> found = world_.sink.find(p.order); found.has_value())
            news.push_back({std::move(*found), 0});
    }
}

// Logged when it begins and when it ends, not for every try.
outcome desk::fail(const char* where, boost::system::error_code error) {
    last_failure_ = std::string(where) + ": " + error.message();
    if (++failures_ == 1) {
        const std::lock_guard lock(mutex_);
        figures_.failing_since = world_.clock.now();
        log::error("clerk.stalled", "where", where, "reason", error.message(), "position",
                   position().value);
    }
    return outcome::failed;
}

void desk::recover() {
    if (failures_ == 0) return;
    const std::lock_guard lock(mutex_);
    log::info("clerk.resumed", "failures", failures_, "after_ms",
              (world_.clock.now() - figures_.failing_since).count());
    figures_.failing_since = never;
    failures_ = 0;
}

void desk::count(piece entered, const ledger::entry_report& report, instant begun) {
    const std::lock_guard lock(mutex_);
    figures_.entered += entered.size() - report.refused;
    figures_.refused += report.refused;
    ++figures_.batches;
    figures_.last_batch = entered.size();
    figures_.last_batch_took = std::max(milliseconds(0), world_.clock.now() - begun);
}

std::uint64_t desk::backlog() const {
    const std::uint64_t entered = position().value;
    const std::uint64_t durable = world_.source.durable().value;
    return durable > entered ? durable - entered : 0;
}

milliseconds desk::oldest_age() const {
    const std::int64_t oldest = oldest_ms_;
    if (oldest == 0) return milliseconds(0);
    return std::max(milliseconds(0), world_.clock.now() - from_ms(oldest));
}

figures desk::read_figures() const {
    figures f;
    {
        const std::lock_guard lock(mutex_);
        f = figures_;
    }
    f.backlog = backlog();
    f.lag = oldest_age();
    return f;
}

}  // namespace floodgate::clerk
