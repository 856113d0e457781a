// The command line. Each command is a function; errors end as one clear line and exit code 1, wrong
// use as exit code 2.

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <optional>

#include "base/log.hpp"
#include "commands/admin.hpp"
#include "commands/backup.hpp"
#include "commands/bills.hpp"
#include "commands/check.hpp"
#include "commands/check_cluster.hpp"
#include "commands/config_check.hpp"
#include "commands/fixture.hpp"
#include "commands/import.hpp"
#include "commands/points.hpp"
#include "commands/sandbox.hpp"
#include "commands/sandbox_server.hpp"
#include "engine/data_directory.hpp"
#include "engine/secret_files.hpp"
#include "engine/shop_server.hpp"
#include "http/listening.hpp"
#include "pages/pages.hpp"

namespace floodgate {
namespace {

constexpr const char* version = FLOODGATE_VERSION;

struct usage_error : std::runtime_error {
    using runtime_error::runtime_error;
};

struct serve_options {
    std::string config, data, listen, admin_password_file;
    bool demo = false;
};

// To be called before any thread starts. SIGINT and SIGTERM are blocked, because the server waits
// for them. SIGPIPE and SIGXFSZ are ignored: a peer that hangs up must not end the process,
// and a file that may not grow is then a failed write, with its reason.
void prepare_signals(bool reloads) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    // Where there is nothing to read again, SIGHUP keeps its usual effect.
    if (reloads) sigaddset(&signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
}

// What the file says, and above it the command line.
engine::settings settings_of(const serve_options& o) {
    engine::settings s = engine::read_settings(o.config);
    if (!o.data.empty()) s.data = o.data;
    if (!o.listen.empty()) s.server.listen = o.listen;
    if (o.demo) s.pay_test = true;
    s.version = version;
    engine::note_option(s, "data", '"' + s.data + '"', "command line");
    engine::note_option(s, "edge.listen", '"' + s.server.listen + '"', "command line");
    if (o.demo) engine::note_option(s, "pay.allow_test", "true", "command line");
    return s;
}

int serve(const serve_options& o) {
    engine::settings s = settings_of(o);
    s.web_pages = pages::packed();
    http::check_address(s.server.listen);  // before a data directory is made in vain
    if (!s.server.operator_listen.empty()) http::check_address(s.server.operator_listen);
    if (o.demo) engine::claim_for_demo(s.data, s.server.listen);
    prepare_signals(true);
    log::start(s.log);
    engine::judge_secret_files(s);
    const auto play_money = o.demo ? commands::start_demo_sandbox(s) : nullptr;
    engine::shop_server running(s);
    running.reread_with([o] { return settings_of(o); });
    if (o.demo) running.create_demo();
    running.create_first_admin(o.admin_password_file);
    const std::string address = running.address(), operators = running.operator_address();
    fmt::print(
        "Floodgate {} listens on / 监听地址 {}\n"
        "  {}/   the shop / 商城\n"
        "  {}/console   for staff / 控制台\n"
        "  {}/api/v1/openapi.json   the API / 接口\n"
        "  {}/readyz   {}/metrics   for operators / 运维\n",
        version, address, address, operators, address, operators, operators);
    std::fflush(stdout);
    running.run();
    log::stop();
    return 0;
}

int play_sandbox(const commands::sandbox_options& o) {
    http::check_address(o.listen);  // before keys are made in vain
    prepare_signals(false);
    log::start(log::level::info);
    commands::run_sandbox(o);
    log::stop();
    return 0;
}

int serve_points(const commands::points_options& o) {
    engine::settings s = engine::read_settings(o.config);
    s.data = o.data;
    http::check_address(o.listen);  // before a directory is made in vain
    prepare_signals(false);
    log::start(s.log);
    engine::judge_secret_files(s);
    commands::run_points(s, o.listen);
    log::stop();
    return 0;
}

// The settings for `check`, `bills` and `fixture`: of a data directory, or of the cluster in a
// configuration file.
engine::settings settings_for(const std::string& config, const std::string& data) {
    engine::settings s = engine::read_settings(config);
    if (!data.empty()) s.data = data;
    if (data.empty() && s.mode == engine::run_mode::embedded)
        throw usage_error(config.empty() ? "--data DIR is needed, or --config FILE of a cluster"
                                         : "--data DIR is needed: " + config +
                                               " does not say mode = \"clustered\"");
    return s;
}

// Prints each of them after `mark`; the exit code.
int report(const std::vector<std::string>& found, const char* mark) {
    for (const auto& sentence : found) fmt::print("{}{}\n", mark, sentence);
    if (found.empty()) {
        fmt::print("all is well\n");
    } else {
        fmt::print("{} things are wrong\n", found.size());
    }
    return found.empty() ? 0 : 1;
}

int check(const engine::settings& s) {
    if (s.mode == engine::run_mode::clustered) return report(commands::check_cluster(s), "WRONG ");
    using commands::points_place;
    const auto points = s.points.live_elsewhere() ? points_place::elsewhere : points_place::here;
    return report(commands::check_data(s.data, points), "WRONG ");
}

int check_points(const std::string& config, const std::string& directory) {
    engine::settings s = engine::read_settings(config);
    s.data = directory;
    return report(commands::check_points_service(s), "WRONG ");
}

int check_config(const std::string& path) {
    const commands::config_report found = commands::check_config(path);
    for (const std::string& sentence : found.warnings) fmt::print("warning: {}\n", sentence);
    return report(found.faults, "WRONG ");
}

// The commands that look after what is there: `config check`, `backup` and `restore`.
struct keeping_options {
    std::string config;
    struct copy {
        std::string from, to;
    } backup, restore;
};

void describe_keeping(CLI::App& app, keeping_options& o) {
    auto* config = app.add_subcommand("config", "Look at a configuration");
    config->require_subcommand(1);
    config->add_subcommand("check", "Say everything that `serve` would refuse in it")
        ->add_option("--config", o.config, "TOML file; see config/floodgate.toml")
        ->required();
    auto* backup = app.add_subcommand(
        "backup", "Copy a data directory, also while its server runs, and check the copy");
    backup->add_option("--data", o.backup.from, "The data directory")->required();
    backup->add_option("--to", o.backup.to, "An empty or new directory")->required();
    auto* restore =
        app.add_subcommand("restore", "Make a data directory from a backup, and check it");
    restore->add_option("--from", o.restore.from, "The backup")->required();
    restore->add_option("--data", o.restore.to, "An empty or new directory")->required();
}

// The exit code; empty: none of these was asked for.
std::optional<int> keep(const keeping_options& o) {
    if (!o.config.empty()) return check_config(o.config);
    if (!o.backup.to.empty())
        return report(commands::make_backup(o.backup.from, o.backup.to), "WRONG ");
    if (!o.restore.to.empty())
        return report(commands::restore_backup(o.restore.from, o.restore.to), "WRONG ");
    return std::nullopt;
}

void describe_bills(CLI::App& command, commands::bill_options& o) {
    command.add_option("--channel", o.channel, "alipay or wechat")
        ->required()
        ->check(CLI::IsMember({"alipay", "wechat"}));
    command.add_option("--file", o.file, "The channel's daily bill, CSV, UTF-8 or GBK")->required();
    command.add_option("--data", o.data, "The data directory");
    command.add_option("--config", o.config, "TOML file of the cluster");
}

void describe_import(CLI::App& command, commands::import_options& o) {
    command.add_option("what", o.what, "products or sales")
        ->required()
        ->check(CLI::IsMember({"products", "sales"}));
    command.add_option("--file", o.file, "A .csv, .ndjson or .jsonl file")->required();
    command.add_option("--data", o.data, "The data directory");
    command.add_option("--config", o.config, "TOML file of the cluster");
    command.add_flag("--dry-run", o.dry_run, "Say what would happen, and write nothing");
}

int import_rows(const commands::import_options& o) {
    try {
        return commands::import_file(settings_for(o.config, o.data), o).refused == 0 ? 0 : 1;
    } catch (const std::invalid_argument& e) {
        throw usage_error(e.what());
    }
}

// `floodgate admin add|passwd|role|disable|enable|list`
struct admin_command {
    CLI::App* app = nullptr;
    commands::admin_options o;
};

void describe_admin(CLI::App& app, admin_command& command) {
    command.app = app.add_subcommand(
        "admin", "The accounts of staff: add, passwd, role, disable, enable, list");
    command.app->require_subcommand(1);
    for (const char* verb : {"add", "passwd", "role", "disable", "enable", "list"}) {
        const std::string_view word = verb;
        CLI::App* const act = command.app->add_subcommand(verb);
        act->add_option("--data", command.o.data, "The data directory");
        act->add_option("--config", command.o.config, "TOML file; of a cluster without --data");
        if (word == "list") continue;
        act->add_option("--phone", command.o.phone, "Whose account")->required();
        if (word == "add") act->add_option("--nickname", command.o.nickname, "Their name");
        if (word == "add" || word == "role")
            act->add_option("--role", command.o.role, "admin, operator, viewer, support or buyer")
                ->required(word == "role");
        if (word != "add" && word != "passwd") continue;
        act->add_option("--password-file", command.o.password_file,
                        "File with the password (default: it is typed)");
        act->add_flag("--must-change", command.o.must_change,
                      "The password must be changed at the next log-in");
    }
}

void run_admin(const engine::settings& s, const admin_command& command) {
    const std::string verb = command.app->get_subcommands().front()->get_name();
    if (verb == "add") commands::add_staff(s, command.o);
    if (verb == "passwd") commands::set_staff_password(s, command.o);
    if (verb == "role") commands::set_staff_role(s, command.o);
    if (verb == "disable" || verb == "enable")
        commands::set_staff_disabled(s, command.o, verb == "disable");
    if (verb == "list") commands::list_staff(s);
}

void describe_fixture(CLI::App& command, commands::fixture_options& o) {
    command.add_option("--data", o.data, "An empty directory to fill");
    command.add_option("--config", o.config, "TOML file of a cluster whose empty ledger to fill");
    command.add_option("--users", o.users, "How many users, each logged in once")
        ->required()
        ->check(CLI::Range(0, 100'000'000));
    command.add_option("--sales", o.sales, "How many open sales")
        ->required()
        ->check(CLI::Range(1, 100'000));
    command.add_option("--stock", o.stock, "Units in each sale")
        ->required()
        ->check(CLI::Range(0, static_cast<int>(sale::stock_max)));
    command.add_option("--tokens", o.tokens_file, "File for the tokens, one a line")->required();
    command.add_option("--limit", o.limit, "Units a buyer may have (default 1)")
        ->check(CLI::Range(1U, sale::limit_max));
    command
        .add_option("--pay-within", o.pay_within_s,
                    "Seconds a buyer has to pay before the unit goes back (default 900)")
        ->check(CLI::Range(1U, sale::pay_within_s_max));
}

void describe_sandbox(CLI::App& command, commands::sandbox_options& o) {
    command.add_option("--listen", o.listen, "HOST:PORT (default: 127.0.0.1:8090)");
    command.add_option("--data", o.data, "Directory for its trades and keys")->required();
    command.add_option("--config", o.config,
                       "TOML file with [pay.*] and [sandbox.*] (default: keys of its own)");
    command.add_option("--shop", o.shop,
                       "Where the shop is, for keys of its own (default: http://127.0.0.1:8080)");
}

void describe_points(CLI::App& command, commands::points_options& o) {
    command.add_option("--listen", o.listen, "HOST:PORT (default: 127.0.0.1:8085)");
    command.add_option("--data", o.data, "Directory for its accounts and its secret")->required();
    command.add_option("--config", o.config,
                       "TOML file with [points] secret_file, and [mariadb] if mode = \"clustered\" "
                       "(default: SQLite, a secret of its own)");
}

// Names the unknown word; CLI11 would only say that a command is needed.
void expect_known_command(CLI::App& app, const std::string& word) {
    std::vector<std::string> known;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        known.push_back(command->get_name());
    if (word.starts_with("-") || std::ranges::find(known, word) != known.end()) return;
    throw usage_error(fmt::format("there is no command \"{}\"; the commands are {} (see --help)",
                                  word, fmt::join(known, ", ")));
}

int run(int argc, char** argv) {
    CLI::App app("Floodgate sells what few have and many want, once and truthfully.", "floodgate");
    app.set_version_flag("--version", std::string("floodgate ") + version);
    app.require_subcommand(1);

    serve_options serving;
    auto* serve_command = app.add_subcommand("serve", "Run the server");
    serve_command->add_option("--config", serving.config, "TOML file; see config/floodgate.toml");
    serve_command->add_option("--data", serving.data, "Data directory (default: data)");
    serve_command->add_option("--listen", serving.listen, "HOST:PORT (default: 127.0.0.1:8080)");
    serve_command->add_option("--admin-password-file", serving.admin_password_file,
                              "File with the first admin's password (default: a random one is "
                              "written to DATA/admin-password)");
    serve_command->add_flag("--demo", serving.demo,
                            "Fill an empty data directory with a demo sale");

    commands::fixture_options fixture;
    auto* fixture_command = app.add_subcommand(
        "fixture", "Fill an empty data directory for load tests; prints one sale id a line");
    describe_fixture(*fixture_command, fixture);

    std::string checked, checked_config, checked_points;
    auto* check_command = app.add_subcommand(
        "check", "Check a data directory, offline, or a cluster's ledger against its gate");
    check_command->add_option("--data", checked, "The data directory");
    check_command->add_option("--config", checked_config, "TOML file of the cluster");
    check_command
        ->add_option("--points", checked_points, "The directory of `floodgate points` instead")
        ->excludes("--data");

    commands::sandbox_options sandbox;
    auto* sandbox_command = app.add_subcommand(
        "sandbox", "Play Alipay and WeChat Pay on this machine, with play money");
    describe_sandbox(*sandbox_command, sandbox);
    commands::points_options points;
    auto* points_command = app.add_subcommand(
        "points", "Keep the accounts of points in a process of its own, for shops with points.url");
    describe_points(*points_command, points);
    commands::bill_options bill;
    auto* bills_command =
        app.add_subcommand("bills", "Compare a payment channel's daily bill with the ledger");
    describe_bills(*bills_command, bill);
    admin_command admin;
    describe_admin(app, admin);
    keeping_options keeping;
    describe_keeping(app, keeping);
    commands::import_options import;
    auto* import_command = app.add_subcommand(
        "import", "Put the products or sales of a file into the ledger, by external id");
    describe_import(*import_command, import);

    if (argc > 1) expect_known_command(app, argv[1]);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? 0 : 2;
    }
    if (*serve_command) return serve(serving);
    if (*admin.app) return run_admin(settings_for(admin.o.config, admin.o.data), admin), 0;
    if (const auto done = keep(keeping)) return *done;
    if (*sandbox_command) return play_sandbox(sandbox);
    if (*points_command) return serve_points(points);
    if (*import_command) return import_rows(import);
    if (*bills_command)
        return report(commands::check_bill(settings_for(bill.config, bill.data), bill), "");
    if (*fixture_command)
        return commands::make_fixture(settings_for(fixture.config, fixture.data), fixture), 0;
    if (!checked_points.empty()) return check_points(checked_config, checked_points);
    return check(settings_for(checked_config, checked));
}

}  // namespace
}  // namespace floodgate

int main(int argc, char** argv) {
    try {
        return floodgate::run(argc, argv);
    } catch (const floodgate::usage_error& e) {
        std::fprintf(stderr, "floodgate: %s\n", e.what());
        return 2;
    } catch (const std::exception& e) {
        floodgate::log::stop();
        std::fprintf(stderr, "floodgate: %s\n", e.what());
        return 1;
    }
}
