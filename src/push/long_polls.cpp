#include "push/long_polls.hpp"

#include <boost/json/serialize.hpp>

#include "api/order_json.hpp"

namespace floodgate::push {

long_polls::~long_polls() {
    while (!polls_.empty()) erase(polls_.begin());
}

std::uint64_t long_polls::begin(std::uint64_t connection, const question& q) {
    forget(connection);
    if (!from_.start_waiting(q.order, q.buyer, {loop_, connection})) return 0;
    by_order_.emplace(q.order, connection);
    polls_.emplace(connection, poll{q, ++last_number_, {}});
    return last_number_;
}

long_polls::polls::iterator long_polls::erase(polls::iterator which) {
    const auto& [connection, p] = *which;
    from_.stop_waiting(p.asked.order, p.asked.buyer, {loop_, connection});
    auto [at, end] = by_order_.equal_range(p.asked.order);
    while (at != end && at->second != connection) ++at;
    by_order_.erase(at);
    return polls_.erase(which);
}

bool long_polls::looked_up(const answer& found, std::uint64_t number, sale::order_state state) {
    const auto at = polls_.find(found.to);
    if (at == polls_.end() || at->second.number != number) return false;
    poll& p = at->second;
    if (!p.body.empty()) return false;  // heard of meanwhile, which is newer: still as it was
    if (state == p.asked.status && p.asked.until != steady::time_point::min()) {
        p.body = found.body;
        return false;
    }
    erase(at);
    return true;
}

bool long_polls::withdraw(std::uint64_t connection, std::uint64_t number) {
    const auto at = polls_.find(connection);
    if (at == polls_.end() || at->second.number != number) return false;
    erase(at);
    return true;
}

void long_polls::forget(std::uint64_t connection) {
    if (polls_.empty()) return;
    if (const auto at = polls_.find(connection); at != polls_.end()) erase(at);
}

std::vector<long_polls::answer> long_polls::hear(const sale::order_news& news) {
    std::vector<answer> out;
    std::string body;
    std::vector<std::uint64_t> connections;
    for (auto [at, end] = by_order_.equal_range(news.what.no); at != end; ++at)
        connections.push_back(at->second);
    for (const std::uint64_t connection : connections) {
        const auto at = polls_.find(connection);
        if (at->second.asked.buyer != news.what.buyer) continue;  // the look-up finds nothing
        if (body.empty()) body = boost::json::serialize(api::to_json(news.what));
        if (news.what.state == at->second.asked.status) {
            at->second.body = body;
        } else {
            out.push_back({connection, body});
            erase(at);
        }
    }
    return out;
}

std::vector<long_polls::answer> long_polls::overdue(steady::time_point now) {
    std::vector<answer> out;
    for (auto at = polls_.begin(); at != polls_.end();) {
        poll& p = at->second;
        if (now < p.asked.until) {
            ++at;
        } else if (p.body.empty()) {
            p.asked.until = steady::time_point::min();  // answered by its look-up
            ++at;
        } else {
            out.push_back({at->first, std::move(p.body)});
            at = erase(at);
        }
    }
    return out;
}

std::optional<long_polls::answer> long_polls::end(std::uint64_t connection) {
    const auto at = polls_.find(connection);
    if (at == polls_.end()) return std::nullopt;
    poll& p = at->second;
    p.asked.until = steady::time_point::min();
    if (p.body.empty()) return std::nullopt;
    answer out{connection, std::move(p.body)};
    erase(at);
    return out;
}

std::vector<long_polls::answer> long_polls::end_all() { return overdue(steady::time_point::max()); }

}  // namespace floodgate::push
