// Everything that can be configured, with its default: config/floodgate.toml explains each.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "api/picture_shelf.hpp"
#include "base/config_file.hpp"
#include "base/log.hpp"
#include "clerk/clerk.hpp"
#include "engine/pay_settings.hpp"
#include "engine/points_settings.hpp"
#include "gate/embedded_turnstile.hpp"
#include "guard/login_limits.hpp"
#include "guard/passwords.hpp"
#include "guard/rate_limiter.hpp"
#include "http/server_options.hpp"
#include "jobs/timed_jobs.hpp"
#include "journal/journal.hpp"
#include "push/mailroom.hpp"
#include "shop/checkout.hpp"
#include "shop/recent_orders.hpp"
#include "shop/sale_memory.hpp"
#include "store/rabbit/rabbit.hpp"
#include "store/redis/redis.hpp"
#include "store/sql/mariadb_database.hpp"

namespace floodgate::engine {

enum class run_mode : std::uint8_t { embedded = 1, clustered };
enum class queue_kind : std::uint8_t { streams = 1, rabbitmq };

struct cluster_settings {
    std::string name = "fg";  // the prefix of every key, exchange and queue
    queue_kind queue = queue_kind::streams;
    std::uint32_t partitions = 8;
    bool strict = false;  // refuse to start if something is less durable than it should be
    milliseconds lease{5000};
    milliseconds answer_within{1000};
    store::redis_options redis;
    store::mariadb_options mariadb{.addresses = {"127.0.0.1:3306"},
                                   .user = "floodgate",
                                   .password = {},
                                   .database = "floodgate"};
    store::rabbit_options rabbitmq;
};

struct settings {
    run_mode mode = run_mode::embedded;
    cluster_settings cluster;  // clustered
    std::uint32_t node = 0;
    std::string data = "data";
    std::string version = "?";                // of the program, for /metrics
    std::vector<std::string> secret_files{};  // files that no other user should be able to read
    log::options log{};
    // Every key of the file with its value as text, to tell what a new file changes. Has secrets.
    std::map<std::string, std::string> values{};
    http::server_options server;
    std::string_view web_pages{};  // packed (src/pages); empty: none are served
    api::picture_options pictures;
    shop::recent_options recent;
    push::mailroom_options mailroom;
    milliseconds metrics_kept{1000};  // how long a page is shown before the next one is made
    jobs::timed_job_options timed_jobs;
    shop::sale_memory memory;
    points_settings points;
    bool pay_test = false;  // the method `test`, which takes no money
    // How long after the payment a buyer may give an order back.
    milliseconds refund_within = shop::checkout::refund_within_default;
    pay_settings pay;
    std::vector<std::string> trusted_proxies{"127.0.0.0/8", "::1"};
    gate::embedded_turnstile::options gate;
    journal::options journal;
    clerk::options clerk;
    guard::password_cost password;
    milliseconds login_lifetime{std::chrono::hours(24 * 7)};
    std::vector<sale::role> second_factor_roles;
    guard::login_limit_options login_limits;
    guard::rate_limit login_by_address{.rate_per_s = 1, .burst = 20};
    guard::rate_limit register_by_address{.rate_per_s = 1, .burst = 20, .keys_max = 1 << 18};
    guard::rate_limit purchase_by_user{.rate_per_s = 5, .burst = 10};
    guard::rate_limit purchase_by_address{.rate_per_s = 100, .burst = 200};
    guard::rate_limit lookup_by_user{.rate_per_s = 20, .burst = 100, .keys_max = 1 << 18};
    guard::rate_limit move_by_user{.rate_per_s = 2, .burst = 20, .keys_max = 1 << 18};
    guard::rate_limit ticket_by_user{.rate_per_s = 1, .burst = 20, .keys_max = 1 << 18};
    guard::rate_limit call_by_key{.rate_per_s = 100, .burst = 500, .keys_max = 1 << 12};
    guard::rate_limit message_by_address{.rate_per_s = 1, .burst = 100, .keys_max = 1 << 16};

    std::vector<config_entry> in_force;  // every option, for operators to look at

    std::string ledger_file() const { return data + "/ledger.db"; }
    std::string points_file() const { return data + "/points.db"; }
    std::string journal_directory() const { return data + "/journal"; }
};

// Notes that an option has another value than the file says; `from`: "command line", "derived".
void note_option(settings& s, const std::string& key, const std::string& value,
                 const std::string& from);

// Reads the file, or only the defaults when `path` is empty. Throws config_error.
settings read_settings(const std::string& path);
// The same, but adds everything that is wrong to `faults` and goes on. Throws config_error only
// when the file cannot be read at all.
settings read_settings(const std::string& path, std::vector<std::string>& faults);

}  // namespace floodgate::engine
