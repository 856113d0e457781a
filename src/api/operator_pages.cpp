#include "api/operator_pages.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

namespace floodgate::api {
namespace {

// After this time the task that looks must have died or hang, and its last result is not trusted.
constexpr auto believed_for = std::chrono::seconds(10);

boost::json::array listed(const std::vector<std::string>& lines) {
    return boost::json::array(lines.begin(), lines.end());
}

std::shared_ptr<const std::string> page_of(const readiness& r,
                                           const std::vector<std::string>& durability) {
    boost::json::object page{{"status", r.why_not.empty() ? "ready" : "not_ready"}};
    if (!r.why_not.empty()) page["reason"] = r.why_not;
    page["warnings"] = listed(r.warnings);
    page["durability"] = listed(durability);
    return std::make_shared<const std::string>(boost::json::serialize(page));
}

}  // namespace

operator_pages::operator_pages(sources from, milliseconds kept)
    : from_(std::move(from)),
      kept_(kept),
      ready_{.body = page_of({.why_not = "starting"}, from_.durability), .at = never},
      metrics_(std::make_shared<const std::string>()) {}

void operator_pages::look(instant now) {
    const api::readiness found = from_.readiness ? from_.readiness() : api::readiness{};
    seen next{.status = found.why_not.empty() ? 200 : 503,
              .body = page_of(found, from_.durability),
              .at = now};
    const std::lock_guard lock(mutex_);
    std::swap(ready_, next);
}

reply operator_pages::readyz(instant now) const {
    seen latest;
    {
        const std::lock_guard lock(mutex_);
        latest = ready_;
    }
    if (latest.at != never && now - latest.at > believed_for)
        return {.status = 503,
                .shared = all_of(page_of({.why_not = "nobody has looked at the stores for long"},
                                         from_.durability))};
    return {.status = latest.status, .shared = all_of(std::move(latest.body))};
}

bool operator_pages::claim_metrics(instant now) {
    if (kept_ == milliseconds(0)) return true;
    std::int64_t due = metrics_due_ms_.load(std::memory_order_relaxed);
    if (to_ms(now) < due) return false;
    return metrics_due_ms_.compare_exchange_strong(due, to_ms(now + kept_));
}

void operator_pages::make_metrics() {
    auto made = std::make_shared<const std::string>(from_.metrics ? from_.metrics() : "");
    const std::lock_guard lock(mutex_);
    metrics_.swap(made);
}

reply operator_pages::metrics() const {
    const std::lock_guard lock(mutex_);
    return {.content_type = "text/plain; version=0.0.4; charset=utf-8", .shared = all_of(metrics_)};
}

}  // namespace floodgate::api
