#include "push/socket_room.hpp"

namespace floodgate::push {
namespace {

constexpr std::size_t checks_for_all = 4;

}  // namespace

socket_room::~socket_room() {
    while (!guests_.empty()) forget(guests_.begin()->first);
}

std::uint64_t socket_room::reserve(const guard::ticket_holder& whose, bool live) {
    const std::uint64_t id = last_id_ + 1;
    guests_.emplace(id, guest{.whose = whose, .socket = {}, .live = live, .heard = {}});
    if (live) from_.count_viewer(1);
    by_buyer_.emplace(whose.user, id);
    last_id_ = id;
    if (from_.join(whose.user, {loop_, id})) return id;
    forget(id);
    return 0;
}

void socket_room::admit(std::uint64_t id, const std::shared_ptr<web_socket>& socket) {
    if (!socket) return forget(id);
    guests_.at(id).socket = socket;
    socket->open([this, id] { forget(id); });
}

void socket_room::forget(std::uint64_t id) {
    const auto at = guests_.find(id);
    if (at == guests_.end()) return;
    from_.leave(at->second.whose.user, {loop_, id});
    auto [own, end] = by_buyer_.equal_range(at->second.whose.user);
    while (own != end && own->second != id) ++own;
    by_buyer_.erase(own);
    if (at->second.live) from_.count_viewer(-1);
    guests_.erase(at);
}

void socket_room::greet(std::uint64_t id, const std::optional<hello>& first) {
    const auto at = guests_.find(id);
    if (at == guests_.end()) return;
    guest& g = at->second;
    const auto socket = g.socket;
    if (!first) return socket->close(close_code::come_again, "busy");
    g.greeted = true;
    g.known_event = first->last_event;
    const auto heard = std::exchange(g.heard, {});
    socket->say(std::make_shared<const std::string>(first->text));
    for (const sale::order_news& news : heard)
        if (!first->covers(news))
            socket->say(std::make_shared<const std::string>(order_message(news)));
}

void socket_room::hear(const sale::order_news& news) {
    // A socket may end, and be removed from both tables, during this call.
    std::vector<std::uint64_t> ids;
    for (auto [own, end] = by_buyer_.equal_range(news.what.buyer); own != end; ++own)
        ids.push_back(own->second);
    web_socket::text message;
    for (const std::uint64_t id : ids) {
        guest& g = guests_.at(id);
        // A hello may have a move that is committed but not told yet: its news comes after it.
        if (g.greeted && news.event != 0 && news.event <= g.known_event) continue;
        if (g.greeted) {
            if (!message) message = std::make_shared<const std::string>(order_message(news));
            g.socket->say(message);
        } else if (g.heard.size() < from_.options().sockets.unsent_messages_max) {
            g.heard.push_back(news);
        } else {
            g.socket->close(close_code::come_again, "too slow");
        }
    }
}

void socket_room::show(const web_socket::text& message) {
    // A socket may end, and be removed from the table, during this call.
    std::vector<std::shared_ptr<web_socket>> viewers;
    for (const auto& [id, g] : guests_)
        if (g.live && g.greeted && g.socket->is_idle()) viewers.push_back(g.socket);
    for (const auto& socket : viewers) socket->say(message);
}

void socket_room::close(std::uint64_t id, close_code code, std::string_view why) {
    if (const auto at = guests_.find(id); at != guests_.end()) at->second.socket->close(code, why);
}

std::vector<std::shared_ptr<web_socket>> socket_room::everybody() const {
    std::vector<std::shared_ptr<web_socket>> out;
    for (const auto& [id, g] : guests_) out.push_back(g.socket);
    return out;
}

void socket_room::close_all() {
    for (const auto& socket : everybody()) socket->close(close_code::going_away, "going away");
}

void socket_room::send_away() {
    for (const auto& socket : everybody())
        socket->close(close_code::come_again, "news may have been missed");
}

void socket_room::cut_all() {
    for (const auto& socket : everybody()) socket->cut();
}

void socket_room::tick(web_socket::clock::time_point now) {
    for (; !leaving_.empty() && leaving_.front().cut_at <= now; leaving_.pop_front())
        if (const auto who = leaving_.front().who.lock()) who->cut();
}

void socket_room::end_with_logins(const guard::sessions& logins, const guard::access_list& access,
                                  instant now) {
    if (guests_.empty()) return;
    std::vector<std::shared_ptr<web_socket>> over, disabled;
    auto at = guests_.upper_bound(last_checked_);
    for (std::size_t n = guests_.size() / checks_for_all + 1; n > 0; --n, ++at) {
        if (at == guests_.end()) at = guests_.begin();
        last_checked_ = at->first;
        if (access.is_disabled(at->second.whose.user))
            disabled.push_back(at->second.socket);
        else if (!logins.find(at->second.whose.login, now))
            over.push_back(at->second.socket);
    }
    for (const auto& socket : over) socket->close(close_code::logged_out, "logged out");
    for (const auto& socket : disabled)
        socket->close(close_code::account_disabled, "account disabled");
}

}  // namespace floodgate::push
