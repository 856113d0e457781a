#include <algorithm>
#include <charconv>
#include <utility>

#include "base/log.hpp"
#include "engine/clustered_engine.hpp"
#include "guard/tokens.hpp"
#include "sale/news_codec.hpp"

namespace floodgate::engine {
namespace {

constexpr milliseconds catalogue_every{2000};  // it is read again, should the bus have failed
constexpr std::size_t news_at_once = 200;      // orders in one message

}  // namespace

api::fellow_nodes clustered_engine::for_edge() {
    return {.find_login = [this](std::string_view token,
                                 instant now) { return find_login(token, now); },
            .logged_in =
                [this](const sale::login& l) {
                    if (const auto kept = logins_.keep(l, clock_.now()); !kept)
                        log::warning("engine.login_not_shared", "reason", kept.error().message());
                    bus_.publish("login", logins_.tell(l));
                },
            .logged_out =
                [this](const sale::token_hash& hash) {
                    if (const auto gone = logins_.remove(hash, clock_.now()); !gone)
                        log::warning("engine.logout_not_shared", "reason", gone.error().message());
                    bus_.publish("logout", logins_.tell(hash));
                }};
}

// With Redis away the ledger knows; otherwise it need not be asked about every token that somebody
// makes up.
std::optional<guard::identity> clustered_engine::find_login(std::string_view token, instant now) {
    const auto found = logins_.find(token, now);
    if (found) return *found;
    if (found.error() != errc::store_unavailable) return std::nullopt;
    const auto kept = book_.users().find_login(guard::hash_of(token), now);
    if (!kept) return std::nullopt;
    front_.sessions.add(*kept);
    return guard::identity{kept->user, kept->role};
}

void clustered_engine::tell(std::span<const sale::order_news> news) {
    front_.mailroom.deliver(news);
    if (reminders_) remind_of(news);
    for (; !news.empty(); news = news.subspan(std::min(news_at_once, news.size())))
        bus_.publish("news", sale::encode_news(news.first(std::min(news_at_once, news.size()))));
}

// The node on duty looks at the deadlines when the first of these is due.
void clustered_engine::remind_of(std::span<const sale::order_news> news) {
    for (const sale::order_news& n : news) {
        if (n.what.state != sale::order_state::unpaid || n.event != 0) continue;
        reminders_->remind(std::max(milliseconds(0), n.what.pay_by - clock_.now()));
    }
}

// From the bus's thread: what takes long is left to the follower.
void clustered_engine::hear(std::string_view topic, std::string_view message) {
    if (topic == "news") {
        if (const auto news = sale::decode_news(message)) front_.mailroom.deliver(*news);
    } else if (topic == "lifted") {
        sale::sale_id id;
        std::from_chars(message.data(), message.data() + message.size(), id.value);
        gate_.lift(id);
    } else if (topic == "catalogue") {
        catalogue_changed_ = true;
        following_.wake();
    } else if (topic == "repaired") {
        front_.recent.forget_all();
    } else if (topic == "login" || topic == "logout") {
        logins_.hear(topic, message);
    }
}

// What the bus may have failed to tell.
bool clustered_engine::follow() {
    const instant now = clock_.now();
    const std::uint64_t rejoined = bus_.read_figures().rejoined;
    if (std::exchange(rejoined_seen_, rejoined) != rejoined) front_.mailroom.note_missed();
    if (!logins_.catch_up(now)) front_.reload_logins();  // log-outs may have been missed
    if (catalogue_changed_.exchange(false) || now >= catalogue_read_ + catalogue_every) {
        catalogue_read_ = now;
        if (front_.showcase.reload()) note_catalogue();
    }
    return false;
}

void clustered_engine::note_catalogue() {
    shop::forgotten_sales over;
    for (const sale::sale& s : front_.showcase.sales())
        if (s.ends_at + shop::remembered_after_end < clock_.now()) over.insert(s.id);
    const std::lock_guard lock(forgotten_mutex_);
    forgotten_ = std::move(over);
}

}  // namespace floodgate::engine
