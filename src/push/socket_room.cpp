#include "push/socket_room.hpp"

namespace floodgate::push {

socket_room::~socket_room() {
    while (!guests_.empty()) forget(guests_.begin()->first);
}

std::uint64_t socket_room::reserve(sale::user_id buyer) {
    const std::uint64_t id = last_id_ + 1;
    guests_.emplace(id, guest{.buyer = buyer, .socket = {}, .heard = {}});
    by_buyer_.emplace(buyer, id);
    last_id_ = id;
    if (from_.join(buyer, {loop_, id})) return id;
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
    from_.leave(at->second.buyer, {loop_, id});
    auto [own, end] = by_buyer_.equal_range(at->second.buyer);
    while (own != end && own->second != id) ++own;
    by_buyer_.erase(own);
    guests_.erase(at);
}

void socket_room::greet(std::uint64_t id, const std::optional<hello>& first) {
    const auto at = guests_.find(id);
    if (at == guests_.end()) return;
    guest& g = at->second;
    const auto socket = g.socket;
    if (!first) return socket->close(close_code::come_again, "busy");
    g.greeted = true;
    const auto heard = std::exchange(g.heard, {});
    socket->say(std::make_shared<const std::string>(first->text));
    for (const sale::order_news& news : heard)
        if (!first->covers(news))
            socket->say(std::make_shared<const std::string>(order_message(news)));
}

void socket_room::hear(const sale::order_news& news) {
    web_socket::text message;
    for (auto [own, end] = by_buyer_.equal_range(news.what.buyer); own != end; ++own) {
        guest& g = guests_.at(own->second);
        if (!g.greeted) {
            if (g.heard.size() < from_.options().sockets.unsent_messages_max) {
                g.heard.push_back(news);
            } else {
                g.socket->close(close_code::come_again, "too slow");
            }
            continue;
        }
        if (!message) message = std::make_shared<const std::string>(order_message(news));
        g.socket->say(message);
    }
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

}  // namespace floodgate::push
