// Admins' handlers for a sale's state, and warm-up.

#include <boost/json/array.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "api/admin_api.hpp"
#include "api/admin_desk.hpp"
#include "api/catalogue_json.hpp"
#include "api/failure.hpp"
#include "api/json_body.hpp"
#include "base/log.hpp"

namespace floodgate::api {
namespace {

using enum sale::sale_state;

struct move {
    const char* action;
    std::vector<sale::sale_state> from;
    sale::sale_state to;
};

reply wrong_state(const sale::sale& s, const call& c) {
    return problem_reply(
        problem::conflict, c.language,
        {{"detail", fmt::format("the sale is {}", to_text(s.state))}, {"state", to_text(s.state)}});
}

reply move_sale(services& with, const call& c, const move& m) {
    if (auto refusal = refusal_of_body(c)) return *std::move(refusal);
    const std::lock_guard one_at_a_time(with.catalogue_mutex);
    const auto old = find_sale(with, {c.ids.at(0)});
    if (!old) return failure_reply(old.error(), c.language);
    // The ledger knows which moves there are; only we know which of them was meant: resuming a
    // draft must not publish it.
    if (old->state != m.to && std::ranges::find(m.from, old->state) == m.from.end())
        return wrong_state(*old, c);

    if (const auto done = with.ledger.catalogue().set_sale_state(old->id, m.to); !done)
        return failure_reply(done.error(), c.language);
    sale::sale s = *old;
    s.state = m.to;
    const auto told = tell_gate_of_change(with, s.id);
    audit(with, c,
          {m.action,
           subject_of("sale", s.id.value),
           {{"state", to_text(old->state)}},
           {{"state", to_text(s.state)}}});
    show(with);
    if (!told) {
        log::error("edge.gate_not_told", "sale", s.id.value, "reason", told.error().message());
        return failure_reply(told.error(), c.language);
    }
    return json_reply(200, to_json(s));
}

// A warm-up that is under way, until it ends one way or the other.
class running_mark {
public:
    explicit running_mark(warm_up_progress& p) : progress_(p) {}
    ~running_mark() { progress_.running = false; }
    running_mark(const running_mark&) = delete;
    running_mark& operator=(const running_mark&) = delete;

private:
    warm_up_progress& progress_;
};

void begin(warm_up_progress& p, std::size_t total, instant now) {
    p.total = static_cast<std::int64_t>(total);
    p.done = 0;
    p.failed = 0;
    p.started_ms = to_ms(now);
}

constexpr std::size_t piece = 50;  // sales loaded in one turn of the mutex: admins get theirs

boost::json::object warm_up_one(services& with, const std::vector<sale::sale>& sales,
                                sale::sale_id id) {
    const auto found = std::ranges::find(sales, id, &sale::sale::id);
    const auto told = found == sales.end() ? result<void>(make_error_code(errc::not_found))
                                           : tell_gate(with, *found);
    ++with.warm_up.done;
    if (told) return {{"id", id.value}, {"ok", true}};
    ++with.warm_up.failed;
    return {{"id", id.value}, {"ok", false}, {"why", told.error().message()}};
}

// Each with its terms of that moment.
result<void> warm_up_piece(services& with, std::span<const sale::sale_id> ids,
                           boost::json::array& out) {
    const std::lock_guard one_at_a_time(with.catalogue_mutex);
    const auto sales = with.ledger.catalogue().sales();
    if (!sales) return sales.error();
    for (const sale::sale_id id : ids) out.push_back(warm_up_one(with, *sales, id));
    return {};
}

}  // namespace

reply publish_sale(services& with, const call& c) {
    return move_sale(with, c, {"sale.published", {draft}, published});
}
reply pause_sale(services& with, const call& c) {
    return move_sale(with, c, {"sale.paused", {published}, paused});
}
reply resume_sale(services& with, const call& c) {
    return move_sale(with, c, {"sale.resumed", {paused}, published});
}
reply end_sale(services& with, const call& c) {
    return move_sale(with, c, {"sale.ended", {draft, published, paused}, ended});
}

reply warm_up_sale(services& with, const call& c) {
    if (auto refusal = refusal_of_body(c)) return *std::move(refusal);
    const std::lock_guard one_at_a_time(with.catalogue_mutex);
    const auto s = find_sale(with, {c.ids.at(0)});
    if (!s) return failure_reply(s.error(), c.language);
    if (s->state == draft) return wrong_state(*s, c);
    if (const auto told = tell_gate(with, *s); !told)
        return failure_reply(told.error(), c.language);
    audit(with, c, {"sale.warmed_up", subject_of("sale", s->id.value), {}, {{"stock", s->stock}}});
    show(with);
    return json_reply(200, to_json(*s));
}

reply warm_up_all(services& with, const call& c) {
    if (auto refusal = refusal_of_body(c)) return *std::move(refusal);
    warm_up_progress& progress = with.warm_up;
    if (progress.running.exchange(true))
        return problem_reply(problem::conflict, c.language, {{"detail", "one is running already"}});
    const running_mark mark(progress);
    const auto sales = with.ledger.catalogue().sales();
    if (!sales) return failure_reply(sales.error(), c.language);
    std::vector<sale::sale_id> wanted;
    for (const sale::sale& s : *sales)
        if (s.state == published || s.state == paused) wanted.push_back(s.id);
    begin(progress, wanted.size(), c.now);
    boost::json::array out;
    for (std::span<const sale::sale_id> rest = wanted; !rest.empty();) {
        const auto next = rest.first(std::min(piece, rest.size()));
        rest = rest.subspan(next.size());
        if (const auto done = warm_up_piece(with, next, out); !done)
            return failure_reply(done.error(), c.language);
    }
    audit(with, c, {"sales.warmed_up", "all sales", {}, {{"sales", out}}});
    show(with);
    return json_reply(200, {{"sales", std::move(out)}});
}

reply get_warm_up(services& with, const call&) {
    const warm_up_progress& p = with.warm_up;
    boost::json::object out{{"running", p.running.load()},
                            {"total", p.total.load()},
                            {"done", p.done.load()},
                            {"failed", p.failed.load()}};
    if (p.started_ms != 0) out["started_at"] = to_iso(from_ms(p.started_ms));
    return json_reply(200, out);
}

}  // namespace floodgate::api
