#include "engine/cluster_node.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/log.hpp"
#include "engine/bus_topic.hpp"
#include "engine/order_log.hpp"
#include "sale/news_codec.hpp"

namespace floodgate::engine {
namespace {

constexpr milliseconds limits_every{200};      // how often limits are exchanged
constexpr milliseconds follow_every{500};      // how often log-outs of other nodes are looked for
constexpr milliseconds catalogue_every{2000};  // how often the catalogue is read again
constexpr std::size_t news_at_once = 200;      // orders in one message

}  // namespace

cluster_node::cluster_node(world w)
    : world_(std::move(w)),
      limits_(world_.redis, world_.name),
      limiting_("limits", limits_every, [this] { (void)limits_.exchange(world_.clock.now()); }),
      following_("follower", follow_every, [this] { follow(); }) {}

void cluster_node::join(const local_shop& here, std::unique_ptr<queue::reminders> reminders) {
    here_.emplace(here);
    logins_.emplace(world_.redis, here.sessions, world_.name);
    reminders_ = std::move(reminders);
    for (const shared_limit& l : here.limits) limits_.add(l.name, l.limiter, l.share_from);
}

void cluster_node::start() {
    world_.bus.start(
        [this](std::string_view topic, std::string_view message) { hear(topic, message); });
    if (reminders_) reminders_->start();
    limiting_.start();
    following_.start();
}

void cluster_node::rest() {
    following_.stop();
    limiting_.stop();
    if (reminders_) reminders_->stop();
}

void cluster_node::stop() {
    rest();
    world_.bus.stop();
}

void cluster_node::tell(std::span<const sale::order_news> news) {
    log_moves(news);
    here_->mailroom.deliver(news);
    if (reminders_) remind_of(news);
    for (; !news.empty(); news = news.subspan(std::min(news_at_once, news.size())))
        publish(to_text(bus_topic::news),
                sale::encode_news(news.first(std::min(news_at_once, news.size()))));
}

// Sends reminders, so that the node on duty looks at the deadlines when the first order is due.
void cluster_node::remind_of(std::span<const sale::order_news> news) {
    for (const sale::order_news& n : news) {
        if (n.what.state != sale::order_state::unpaid || n.event != 0) continue;
        reminders_->remind(std::max(milliseconds(0), n.what.pay_by - world_.clock.now()));
    }
}

void cluster_node::catalogue_changed() {
    show_catalogue(here_->showcase);
    publish(to_text(bus_topic::catalogue), "");
}

void cluster_node::book_repaired() {
    here_->recent.forget_all();
    publish(to_text(bus_topic::repaired), "");
}

result<bool> cluster_node::gate_differs(sale::sale_id id) {
    const auto closed = world_.gate.close(sale::partition_of(id, world_.partitions));
    if (!closed) return result<bool>(boost::system::in_place_error, closed.error());
    return true;
}

void cluster_node::access_changed() { publish(to_text(bus_topic::access), ""); }

void cluster_node::login_made(const sale::login& l) {
    if (const auto kept = logins_->keep(l, world_.clock.now()); !kept)
        log::warning("engine.login_not_shared", "reason", kept.error().message());
    publish(to_text(bus_topic::login), guard::shared_logins::tell(l));
}

void cluster_node::login_removed(const sale::token_hash& hash) {
    if (const auto gone = logins_->remove(hash, world_.clock.now()); !gone)
        log::warning("engine.logout_not_shared", "reason", gone.error().message());
    publish(to_text(bus_topic::logout), guard::shared_logins::tell(hash));
}

// Asks the ledger only while Redis is unreachable; otherwise every made-up token would cost a
// query.
result<guard::identity> cluster_node::find_login(const sale::token_hash& hash, instant now) {
    const auto found = logins_->find(hash, now);
    if (found) return *found;
    if (found.error() != errc::store_unavailable) return found.error();
    const auto kept = world_.book.users().find_login(hash, now);
    if (!kept) return kept.error();
    if (!logins_->add(*kept)) return make_error_code(errc::not_found);
    return guard::identity{kept->user, kept->role, kept->standing};
}

void cluster_node::hear(std::string_view topic, std::string_view message) {
    const auto what = parse_bus_topic(topic);
    if (!what) return;
    switch (*what) {
    case bus_topic::news:
        if (const auto news = sale::decode_news(message)) here_->mailroom.deliver(*news);
        break;
    case bus_topic::lifted: {
        sale::sale_id id;
        std::from_chars(message.data(), message.data() + message.size(), id.value);
        world_.gate.lift(id);
        break;
    }
    case bus_topic::catalogue:
        catalogue_changed_ = true;
        following_.wake();
        break;
    case bus_topic::repaired: here_->recent.forget_all(); break;
    case bus_topic::access: here_->access.wake(); break;
    case bus_topic::login: logins_->hear_login(message); break;
    case bus_topic::logout: logins_->hear_logout(message); break;
    case bus_topic::live: here_->live.hear(message); break;
    }
}

void cluster_node::follow() {
    const instant now = world_.clock.now();
    const std::uint64_t rejoined = world_.bus.read_figures().rejoined;
    if (std::exchange(rejoined_seen_, rejoined) != rejoined) here_->mailroom.note_missed();
    if (!logins_->catch_up(now)) log_outs_missed_ = true;
    if (log_outs_missed_) log_outs_missed_ = !reload_logins();
    if (catalogue_changed_.exchange(false) || now >= catalogue_read_ + catalogue_every) {
        catalogue_read_ = now;
        (void)here_->showcase.reload().has_value();  // a failure is logged by the ledger
    }
}

bool cluster_node::reload_logins() {
    const auto read = [this]() -> result<std::vector<sale::login>> {
        std::vector<sale::login> valid;
        const auto done = world_.book.users().for_each_login(
            world_.clock.now(), [&](const sale::login& l) { valid.push_back(l); });
        if (!done) return done.error();
        return valid;
    };
    if (const auto loaded = logins_->reload(read); !loaded) {
        login_trouble_.failed(loaded.error().message());
        return false;
    }
    login_trouble_.succeeded();
    log::info("engine.logins_loaded", "logins", here_->sessions.count());
    return true;
}

}  // namespace floodgate::engine
