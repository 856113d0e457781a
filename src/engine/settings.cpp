#include "engine/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <utility>

#include "api/picture_api.hpp"
#include "base/config_file.hpp"
#include "guard/addresses.hpp"
#include "http/cors.hpp"
#include "journal/format.hpp"
#include "sale/order_number.hpp"
#include "sale/partition.hpp"
#include "store/http/http_client.hpp"

namespace floodgate::engine {
namespace {

constexpr std::int64_t hour_ms = 3'600'000;
constexpr std::int64_t day_s = 86'400;
constexpr std::int64_t week_s = 7 * day_s;
constexpr std::size_t cluster_name_max = 32;
constexpr std::int64_t hours_max = 8760;    // a year
constexpr milliseconds believed_for{1000};  // how long a node of a cluster trusts news of an order

void read_edge(config_file& file, settings& s) {
    http::server_options& o = s.server;
    file.read("edge.listen", o.listen);
    file.read("edge.operator_listen", o.operator_listen);
    file.read("edge.loops", o.loops, {0, 256});
    file.read("edge.pool_threads", o.pools.general_threads, {1, 256});
    file.read("edge.password_threads", o.pools.password_threads, {1, 64});
    file.read("edge.admin_threads", o.pools.admin_threads, {1, 64});
    file.read("edge.move_threads", o.pools.move_threads, {1, 1024});
    file.read("edge.channel_threads", o.pools.channel_threads, {1, 1024});
    file.read("edge.message_threads", o.pools.message_threads, {1, 256});
    file.read("edge.pool_queue_max", o.pools.queue_max, {1, 1'000'000});
    file.read("edge.connections_max", o.connections_max, {1, 1'000'000});
    file.read("edge.connections_per_address_max", o.clients.per_address_max, {1, 1'000'000});
    file.read("edge.stop_within_ms", o.stop_within, {0, hour_ms});
    file.read("edge.head_bytes_max", o.limits.head_bytes_max, {1024, 65'536});
    file.read("edge.target_bytes_max", o.limits.target_bytes_max, {128, 65'536});
    file.read("edge.body_bytes_max", o.limits.body_bytes_max, {1024, 16 << 20});
    file.read("edge.idle_ms", o.timeouts.idle, {100, hour_ms});
    file.read("edge.head_ms", o.timeouts.head, {100, hour_ms});
    file.read("edge.body_ms", o.timeouts.body, {100, hour_ms});
    file.read("edge.write_ms", o.timeouts.write, {100, hour_ms});
    file.read("edge.tls_certificate_file", o.tls_certificate_file);
    file.read("edge.tls_key_file", o.tls_key_file);
    if (!o.tls_key_file.empty()) s.secret_files.push_back(o.tls_key_file);
    std::int64_t hsts_s = o.tls_hsts.count();
    file.read("edge.tls_hsts_s", hsts_s, {0, 10 * hours_max * 3600});
    o.tls_hsts = std::chrono::seconds(hsts_s);
    file.read("edge.trusted_proxies", s.trusted_proxies);
    file.read("edge.cors.origins", o.cors_origins);
    for (const std::string& origin : o.cors_origins)
        if (const std::string fault = http::fault_of_origin(origin); !fault.empty())
            throw std::invalid_argument("edge.cors.origins: \"" + origin + "\" " + fault);
    file.read("pictures.bytes_max", s.pictures.bytes_max,
              {1024, static_cast<std::int64_t>(api::picture_upload_bytes_max)});
    file.read("pictures.memory_bytes_max", s.pictures.memory_bytes_max, {0, 1LL << 34});
}

void read_results(config_file& file, settings& s) {
    push::mailroom_options& o = s.mailroom;
    file.read("results.recent_max", s.recent.max, {1, 100'000'000});
    file.read("results.waiters_max", o.waiters_max, {0, 1'000'000});
    file.read("results.waiters_per_user_max", o.waiters_per_user_max, {1, 1'000'000});
    file.read("ws.connections_max", o.sockets.connections_max, {0, 1'000'000});
    file.read("ws.per_user_max", o.sockets.per_user_max, {1, 1000});
    file.read("ws.heartbeat_ms", o.sockets.heartbeat, {100, hour_ms});
    file.read("ws.unsent_messages_max", o.sockets.unsent_messages_max, {1, 100'000});
    file.read("ws.unsent_bytes_max", o.sockets.unsent_bytes_max, {16'384, 1 << 30});
    file.read("ws.allowed_origins", o.sockets.allowed_origins);
    // A page that may call may also wait for results.
    o.sockets.allowed_origins.insert(o.sockets.allowed_origins.end(), s.server.cors_origins.begin(),
                                     s.server.cors_origins.end());
    file.read("metrics.kept_ms", s.metrics_kept, {0, 60'000});
}

// "rate" is tries per minute, because a rate per second would often be a fraction.
void read_limit(config_file& file, const std::string& name, guard::rate_limit& limit,
                const std::string& section = "guard") {
    auto per_minute = static_cast<std::int64_t>(std::lround(limit.rate_per_s * 60));
    const std::string key = section + "." + name;
    file.read(key + "_per_minute", per_minute, {0, 60'000'000});
    file.read(key + "_burst", limit.burst, {1, 1'000'000});
    file.read(key + "_keys_max", limit.keys_max, {8, 100'000'000});
    limit.rate_per_s = static_cast<double>(per_minute) / 60;
}

void read_guard(config_file& file, settings& s) {
    std::int64_t hours = s.login_lifetime / std::chrono::hours(1);
    file.read("guard.login_hours", hours, {1, hours_max});
    s.login_lifetime = std::chrono::hours(hours);
    std::int64_t mib = static_cast<std::int64_t>(s.password.memory_bytes >> 20U);
    file.read("guard.password_mib", mib, {8, 4096});
    s.password.memory_bytes = static_cast<std::size_t>(mib) << 20U;
    file.read("guard.password_passes", s.password.passes, {1, 100});
    std::vector<std::string> roles;
    file.read("guard.second_factor_roles", roles);
    for (const std::string& word : roles) {
        const auto role = sale::role_of(word);
        if (!role || !sale::is_staff(*role))
            throw std::invalid_argument("guard.second_factor_roles: " + word +
                                        " is not admin, operator, viewer or support");
        s.second_factor_roles.push_back(*role);
    }
    read_limit(file, "login_by_device", s.login_limits.by_device);
    read_limit(file, "login_by_account", s.login_limits.by_account);
    read_limit(file, "login_by_user", s.login_limits.by_user);
    read_limit(file, "login_by_address", s.login_by_address);
    read_limit(file, "register_by_address", s.register_by_address);
    read_limit(file, "purchase_by_user", s.purchase_by_user);
    read_limit(file, "purchase_by_address", s.purchase_by_address);
    read_limit(file, "lookup_by_user", s.lookup_by_user);
    read_limit(file, "move_by_user", s.move_by_user);
    read_limit(file, "call_by_key", s.call_by_key);
    read_limit(file, "ticket_by_user", s.ticket_by_user, "ws");
    read_limit(file, "message_by_address", s.message_by_address, "pay");
}

// A secret may be in a file of its own, so that the configuration can be shown to others.
std::string secret_from(const std::string& key, const std::string& path) {
    std::ifstream file(path);
    std::string secret;
    if (!file || !std::getline(file, secret) || secret.empty())
        throw std::invalid_argument(key + ": cannot read a secret from " + path);
    return secret;
}

// KEY, or the first line of the file that KEY_file names. What everybody knows, because it is the
// default, is no secret that a file must keep.
void read_secret(config_file& file, settings& s, const std::string& key, std::string& secret) {
    std::string path;
    const std::string usual = std::exchange(secret, {});
    file.read(key, secret);
    file.read(key + "_file", path);
    if (!secret.empty() && !path.empty())
        throw std::invalid_argument(key + " or " + key + "_file, not both");
    const std::string& kept_in = path.empty() ? file.path() : path;
    if (!path.empty()) secret = secret_from(key + "_file", path);
    const bool is_known = secret.empty() || (path.empty() && secret == usual);
    if (!is_known && std::ranges::find(s.secret_files, kept_in) == s.secret_files.end())
        s.secret_files.push_back(kept_in);
    if (secret.empty()) secret = usual;
}

void read_feed(config_file& file, settings& s) {
    std::int64_t days = 30;
    file.read("feed.keep_days", days, {1, 3650});
    s.timed_jobs.feed_kept = std::chrono::hours(24 * days);
}

void read_webhook(config_file& file, settings& s) {
    alarm::webhook_options& w = s.timed_jobs.webhook;
    w.node = s.node;
    file.read("alarm.webhook_url", w.url);
    read_secret(file, s, "alarm.webhook_secret", w.secret);
    file.read("alarm.webhook_allow_private", w.allow_private);
    file.read("alarm.webhook_attempts", w.attempts, {1, 100});
    file.read("alarm.webhook_timeout_ms", w.timeout, {100, 60'000});
    if (!w.url.empty())
        if (const std::string fault = store::fault_of_url(w.url); !fault.empty())
            throw std::invalid_argument("alarm.webhook_url " + fault);
    if (!w.url.empty() && w.secret.empty())
        throw std::invalid_argument("alarm.webhook_url needs a webhook_secret to sign with");
}

void read_timed_jobs(config_file& file, settings& s) {
    jobs::timed_job_options& o = s.timed_jobs;
    const std::vector<std::string> usual{"usual"};
    std::vector<std::string> steps = usual;
    file.read("clerk.retry_steps", steps);
    if (steps != usual) {
        std::string why;
        const auto parsed = sale::parse_steps(steps, why);
        if (!parsed) throw std::invalid_argument("clerk.retry_steps: " + why);
        o.retries = s.clerk.retries = *parsed;
    }
    file.read("clerk.deadline_poll_ms", o.deadline_poll, {10, 60'000});
    file.read("clerk.reconcile_every_ms", o.reconcile_every, {50, hour_ms});
    std::int64_t lead_s = o.rounds.lead / std::chrono::seconds(1);
    file.read("rounds.lead_s", lead_s, {0, week_s});
    o.rounds.lead = std::chrono::seconds(lead_s);
    std::int64_t forget_s = s.memory.forget_after / std::chrono::seconds(1);
    file.read("rounds.forget_after_s", forget_s, {1, hours_max * 3600});
    s.memory.forget_after = std::chrono::seconds(forget_s);
    std::int64_t cool_down_s = s.memory.cool_down / std::chrono::seconds(1);
    file.read("sale.cool_down_s", cool_down_s, {0, day_s});
    s.memory.cool_down = std::chrono::seconds(cool_down_s);
    o.forgetting.memory = s.memory;
    file.read("pay.allow_test", s.pay_test);
    file.read("pay.ask_again_first_ms", o.asking.pause_first, {10, hour_ms});
    file.read("pay.ask_again_last_ms", o.asking.pause_last, {10, hour_ms});
    if (o.asking.pause_last < o.asking.pause_first)
        throw std::invalid_argument("pay.ask_again_last_ms is shorter than ask_again_first_ms");
    file.read("pay.limbo_after_ms", o.asking.limbo_after, {100, 24 * hour_ms});
    std::int64_t refund_within_s = s.refund_within / std::chrono::seconds(1);
    file.read("pay.refund_within_s", refund_within_s, {0, 400 * day_s});
    s.refund_within = std::chrono::seconds(refund_within_s);
    o.earning.refund_within = s.refund_within;
    file.read("alarm.backlog", o.watch.backlog_alarm, {1, 1'000'000'000});
    std::int64_t mib = static_cast<std::int64_t>(o.watch.disk_min_bytes >> 20U);
    file.read("alarm.disk_min_mib", mib, {0, 1 << 30});
    o.watch.disk_min_bytes = static_cast<std::uint64_t>(mib) << 20U;
    file.read("alarm.disk_min_percent", o.watch.disk_min_percent, {0, 99});
    read_webhook(file, s);
    read_feed(file, s);
}

void read_engine(config_file& file, settings& s) {
    file.read("gate.backlog_max", s.gate.backlog_max, {1, 1'000'000'000});
    std::int64_t mib = static_cast<std::int64_t>(s.journal.segment_bytes >> 20U);
    file.read("journal.segment_mib", mib,
              {1, static_cast<std::int64_t>(journal::segment_bytes_max >> 20U)});
    s.journal.segment_bytes = static_cast<std::uint64_t>(mib) << 20U;
    file.read("clerk.batch_max", s.clerk.batch_max, {1, 1'000'000});
    file.read("clerk.patience_ms", s.clerk.patience, {0, hour_ms});
    file.read("clerk.starved_ms", s.clerk.starved, {0, hour_ms});
    file.read("clerk.rush_per_s", s.clerk.rush_per_s, {0, 1'000'000'000});
    file.read("clerk.linger_ms", s.clerk.linger, {0, 60'000});
    file.read("clerk.drain_ms", s.clerk.drain, {0, hour_ms});
    std::int64_t entries_max = 0;
    file.read("clerk.entries_per_s_max", entries_max, {0, 1'000'000'000});
    if (entries_max > 0) s.clerk.ceiling = std::make_shared<clerk::entry_ceiling>(entries_max);
    s.clerk.backlog_max = s.gate.backlog_max;
}

// Reads one of these words, as its place in the list, counted from 1.
template <class Choice>
void read_choice(config_file& file, const std::string& key, Choice& value,
                 const std::vector<std::string>& choices) {
    std::string word = choices.at(static_cast<std::size_t>(value) - 1);
    file.read(key, word);
    const auto found = std::ranges::find(choices, word);
    if (found == choices.end())
        throw std::invalid_argument(
            fmt::format("{} is \"{}\"; it may be {}", key, word, fmt::join(choices, " or ")));
    value = static_cast<Choice>(found - choices.begin() + 1);
}

void read_addresses(config_file& file, const std::string& key,
                    std::vector<std::string>& addresses) {
    file.read(key, addresses);
    if (addresses.empty()) throw std::invalid_argument(key + " names nobody");
}

void read_stores(config_file& file, settings& s) {
    cluster_settings& c = s.cluster;
    read_addresses(file, "redis.addresses", c.redis.addresses);
    file.read("redis.cluster", c.redis.cluster);
    file.read("redis.user", c.redis.user);
    read_secret(file, s, "redis.password", c.redis.password);
    file.read("redis.database", c.redis.database, {0, 1023});
    if (c.redis.cluster && c.redis.database != 0)
        throw std::invalid_argument("redis.database must be 0 in a Redis Cluster");
    read_addresses(file, "mariadb.addresses", c.mariadb.addresses);
    file.read("mariadb.user", c.mariadb.user);
    read_secret(file, s, "mariadb.password", c.mariadb.password);
    file.read("mariadb.database", c.mariadb.database);
    file.read("mariadb.connections_max", c.mariadb.connections_max, {4, 1000});
    read_addresses(file, "rabbitmq.addresses", c.rabbitmq.addresses);
    file.read("rabbitmq.user", c.rabbitmq.user);
    read_secret(file, s, "rabbitmq.password", c.rabbitmq.password);
    file.read("rabbitmq.vhost", c.rabbitmq.vhost);
}

void read_cluster(config_file& file, settings& s) {
    read_choice(file, "mode", s.mode, {"embedded", "clustered"});
    cluster_settings& c = s.cluster;
    file.read("cluster.name", c.name);
    const bool plain = std::ranges::all_of(c.name, [](unsigned char letter) {
        return std::isalnum(letter) != 0 || letter == '-' || letter == '_';
    });
    if (c.name.empty() || c.name.size() > cluster_name_max || !plain)
        throw std::invalid_argument("cluster.name: 1 to 32 letters, digits, - and _");
    read_choice(file, "cluster.queue", c.queue, {"streams", "rabbitmq"});
    file.read("cluster.partitions", c.partitions, {1, sale::partitions_max});
    file.read("cluster.strict", c.strict);
    file.read("cluster.lease_ms", c.lease, {1000, 60'000});
    file.read("cluster.answer_within_ms", c.answer_within, {50, 60'000});
    read_stores(file, s);
    if (s.mode == run_mode::embedded) return;
    s.recent.believed_for = believed_for;  // other nodes move orders, and the bus may lose news
    s.recent.numbers_in_order = false;     // several nodes give out numbers
}

void read_log(config_file& file, settings& s) {
    std::string level = "info", format = "text";
    file.read("log.level", level);
    file.read("log.format", format);
    file.read("log.file", s.log.file);
    const auto parsed = [](const char* key, auto parse, const std::string& word) {
        try {
            return parse(word);
        } catch (const std::invalid_argument& e) {
            throw std::invalid_argument(std::string(key) + ": " + e.what());
        }
    };
    s.log.least = parsed("log.level", log::parse_level, level);
    s.log.as = parsed("log.format", log::parse_format, format);
}

using part = void (*)(config_file&, settings&);
constexpr part parts[] = {
    read_log,
    read_edge,
    read_results,
    read_timed_jobs,
    read_cluster,
    [](config_file& file, settings& s) { read_points(file, s.points, s.secret_files); },
    [](config_file& file, settings& s) { read_pay(file, s.pay, s.secret_files); },
    [](config_file&, settings& s) { guard::trusted_proxies checked(s.trusted_proxies); },
    read_guard,
    read_engine,
};

// A sentence about a key begins with it: "redis.addresses names nobody".
std::string key_in(const std::string& sentence) {
    return sentence.substr(0, sentence.find_first_of(" :"));
}

settings read_all(const std::string& path, std::vector<std::string>* faults) {
    settings s;
    config_file file = path.empty() ? config_file() : config_file(path);
    if (faults != nullptr) file.collect_faults(*faults);
    s.values = file.values();
    file.read("node", s.node, {0, sale::node_max});
    s.gate.node = s.node;
    file.read("data", s.data);
    for (const part read : parts) {
        try {
            read(file, s);
        } catch (const std::invalid_argument& e) {
            const std::string sentence = e.what();
            const std::string place = s.values.contains(key_in(sentence))
                                          ? file.place_of(key_in(sentence))
                                          : (path.empty() ? "configuration" : path) + ": ";
            if (faults == nullptr) throw config_error(place + sentence);
            faults->push_back(place + sentence);
        }
    }
    // After a fault, the rest of its part was not asked for.
    if (faults == nullptr || faults->empty()) file.expect_all_read();
    s.in_force = file.entries();
    return s;
}

}  // namespace

void note_option(settings& s, const std::string& key, const std::string& value,
                 const std::string& from) {
    const auto at = std::ranges::find(s.in_force, key, &config_entry::key);
    if (at == s.in_force.end() || at->secret || at->value == value) return;
    at->value = value;
    at->from = from;
}

settings read_settings(const std::string& path) { return read_all(path, nullptr); }

settings read_settings(const std::string& path, std::vector<std::string>& faults) {
    return read_all(path, &faults);
}

}  // namespace floodgate::engine
