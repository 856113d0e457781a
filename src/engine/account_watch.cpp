#include "engine/account_watch.hpp"

#include "base/log.hpp"
#include "base/or_throw.hpp"

namespace floodgate::engine {
namespace {

constexpr std::size_t at_once = 500;
constexpr auto remembered = std::chrono::hours(24);  // much longer than a server misses a look
constexpr auto forget_every = std::chrono::hours(1);
constexpr auto head_every = std::chrono::minutes(10);

}  // namespace

account_watch::account_watch(ledger::ledger& book, shop::node& node, clock& clock)
    : book_(book), node_(node), clock_(clock), task_("accounts", look_every, [this] { look(); }) {}

void account_watch::begin() { seen_ = or_throw(book_.staff().last_ended(), "ledger"); }

// A failure is logged by the ledger; the next look tries again.
void account_watch::look() {
    end_logins();
    if (!node_.on_duty()) return;
    seal();
    const instant now = clock_.now();
    if (now < forgotten_at_ + forget_every) return;
    forgotten_at_ = now;
    (void)book_.staff().forget_ended(now - remembered).has_value();
}

void account_watch::end_logins() {
    for (;;) {
        const auto some = book_.staff().ended_after(seen_, at_once);
        if (!some) return;
        for (const auto& e : *some) {
            node_.login_removed(e.hash);
            seen_ = e.id;
        }
        if (some->size() < at_once) return;
    }
}

// The end of the chain also goes to the log, which is kept elsewhere: somebody who rewrites the
// whole chain cannot rewrite that.
void account_watch::seal() {
    std::size_t sealed = 0;
    for (;;) {
        const auto some = book_.audit().seal(at_once);
        if (!some) return;
        sealed += *some;
        if (*some < at_once) break;
    }
    const instant now = clock_.now();
    if (sealed == 0 || now < head_told_at_ + head_every) return;
    head_told_at_ = now;
    if (const auto end = book_.audit().end_of_chain())
        log::info("engine.audit_sealed", "place", end->place, "hash", end->hash);
}

}  // namespace floodgate::engine
