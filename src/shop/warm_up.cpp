// The part of catalogue_desk that loads sales into the gate.

#include <algorithm>

#include "base/log.hpp"
#include "shop/catalogue_desk.hpp"

namespace floodgate::shop {
namespace {

using enum sale::sale_state;

constexpr std::size_t piece = 50;  // sales loaded at once; other changes may come in between

bool is_person(const actor& by) { return by.who.value != 0; }

// Marks a warm-up as running until it ends, also by an exception.
class running_mark {
public:
    explicit running_mark(std::atomic<bool>& running) : running_(running) {}
    ~running_mark() { running_ = false; }
    running_mark(const running_mark&) = delete;
    running_mark& operator=(const running_mark&) = delete;

private:
    std::atomic<bool>& running_;
};

}  // namespace

boost::json::array to_json(const std::vector<warmed_sale>& sales) {
    boost::json::array out;
    for (const warmed_sale& s : sales) {
        boost::json::object one{{"id", s.id.value}, {"ok", !s.why_not}};
        if (s.why_not) one["why"] = s.why_not.message();
        out.push_back(std::move(one));
    }
    return out;
}

// Writes the audit line, only for an act that a person asked for.
result<void> catalogue_desk::sign(const actor& by, const act& asked) {
    if (!is_person(by)) return {};
    return book_.audit().add(line(by, asked));
}

result<sale::sale> catalogue_desk::warm_up(sale::sale_id id, const actor& by) {
    const std::lock_guard lock(one_at_a_time_);
    auto s = find(id);
    if (!s) return s.error();
    if (s->state == draft) return errc::conflict;
    // The ledger does not change, so the line has a transaction of its own. It is written first: a
    // line too many only says that something was asked for, a missing line would hide it.
    const act asked{"sale.warmed_up", subject_of("sale", id.value), {}, {{"stock", s->stock}}};
    if (const auto kept = sign(by, asked); !kept) return kept.error();
    if (const auto told = brake_.tell(*s); !told) return told.error();
    if (is_person(by)) conclude(by, asked.action, asked.subject);
    return s;
}

result<std::vector<warmed_sale>> catalogue_desk::warm_up_all(const actor& by) {
    if (warming_up_.exchange(true)) return errc::conflict;
    const running_mark mark(warming_up_);
    const auto all = sales();
    if (!all) return all.error();
    std::vector<sale::sale_id> wanted;
    for (const sale::sale& s : *all)
        if (s.state == published || s.state == paused) wanted.push_back(s.id);
    total_ = static_cast<std::int64_t>(wanted.size());
    done_ = 0;
    failed_ = 0;
    started_ms_ = to_ms(clock_.now());
    const act asked{"sales.warmed_up", "all sales", {}, {{"sales", wanted.size()}}};
    if (const auto kept = sign(by, asked); !kept) return kept.error();
    std::vector<warmed_sale> out;
    for (std::span<const sale::sale_id> rest = wanted; !rest.empty();) {
        const auto next = rest.first(std::min(piece, rest.size()));
        rest = rest.subspan(next.size());
        if (const auto loaded = warm_up_piece(next, out); !loaded) return loaded.error();
    }
    if (is_person(by)) conclude(by, asked.action, asked.subject);
    return out;
}

// Loads each sale with its terms of that moment.
result<void> catalogue_desk::warm_up_piece(std::span<const sale::sale_id> ids,
                                           std::vector<warmed_sale>& out) {
    const std::lock_guard lock(one_at_a_time_);
    const auto all = book_.catalogue().sales();
    if (!all) return all.error();
    brake_.remember(*all);
    for (const sale::sale_id id : ids) {
        warmed_sale& one = out.emplace_back(warmed_sale{id});
        const auto found = std::ranges::find(*all, id, &sale::sale::id);
        if (found == all->end()) {
            one.why_not = errc::not_found;
        } else if (const auto told = brake_.tell(*found); !told) {
            one.why_not = told.error();
        }
        ++done_;
        if (!one.why_not) continue;
        ++failed_;
        log::error("shop.warm_up_failed", "sale", id.value, "reason", one.why_not.message());
    }
    return {};
}

warm_up_progress catalogue_desk::progress() const {
    return {.running = warming_up_,
            .total = total_,
            .done = done_,
            .failed = failed_,
            .started_at = from_ms(started_ms_)};
}

}  // namespace floodgate::shop
