// The command line. Each command is a function; errors end as one clear line and exit code 1, wrong
// use as exit code 2.

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>

#include "base/log.hpp"
#include "check.hpp"
#include "edge/listening.hpp"
#include "engine.hpp"
#include "fixture.hpp"

namespace floodgate {
namespace {

constexpr const char* version = FLOODGATE_VERSION;

struct serve_options {
    std::string config, data, listen;
    bool demo = false;
};

// Before any thread starts: signals are fetched by engine::run, a peer that hangs up is no reason
// to end, and a file that may not grow is a failed write like others: one that says its reason.
void prepare_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
}

int serve(const serve_options& o) {
    settings s = read_settings(o.config);
    if (!o.data.empty()) s.data = o.data;
    if (!o.listen.empty()) s.server.listen = o.listen;
    if (o.demo) s.pay_test = true;
    edge::check_address(s.server.listen);  // before a data directory is made for nothing
    prepare_signals();
    log::start(s.log_level);
    engine floodgate(std::move(s));
    if (o.demo) floodgate.create_demo();
    floodgate.create_first_admin();
    fmt::print(
        "Floodgate {} listens on / 监听地址 {}\n"
        "  {}/api/v1/rounds   what is on sale / 正在销售\n"
        "  {}/api/v1/openapi.json   the API / 接口\n"
        "  {}/readyz   {}/metrics   for operators / 运维\n",
        version, floodgate.address(), floodgate.address(), floodgate.address(), floodgate.address(),
        floodgate.address());
    std::fflush(stdout);
    floodgate.run();
    log::stop();
    return 0;
}

int check(const std::string& data) {
    const auto found = check_data(data);
    for (const auto& sentence : found) fmt::print("WRONG {}\n", sentence);
    if (found.empty()) {
        fmt::print("all is well\n");
    } else {
        fmt::print("{} things are wrong\n", found.size());
    }
    return found.empty() ? 0 : 1;
}

void describe_fixture(CLI::App& command, fixture_options& o) {
    command.add_option("--data", o.data, "An empty directory to fill")->required();
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

int run(int argc, char** argv) {
    CLI::App app("Floodgate sells what few have and many want, once and truthfully.", "floodgate");
    app.set_version_flag("--version", std::string("floodgate ") + version);
    app.require_subcommand(1);

    serve_options serving;
    auto* serve_command = app.add_subcommand("serve", "Run the server");
    serve_command->add_option("--config", serving.config, "TOML file; see config/floodgate.toml");
    serve_command->add_option("--data", serving.data, "Data directory (default: data)");
    serve_command->add_option("--listen", serving.listen, "HOST:PORT (default: 127.0.0.1:8080)");
    serve_command->add_flag("--demo", serving.demo,
                            "Fill an empty data directory with a demo sale");

    fixture_options fixture;
    auto* fixture_command = app.add_subcommand(
        "fixture", "Fill an empty data directory for load tests; prints one sale id a line");
    describe_fixture(*fixture_command, fixture);

    std::string checked;
    auto* check_command = app.add_subcommand("check", "Check a data directory, offline");
    check_command->add_option("--data", checked, "The data directory")->required();

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? 0 : 2;
    }
    if (*serve_command) return serve(serving);
    if (*fixture_command) return make_fixture(fixture), 0;
    return check(checked);
}

}  // namespace
}  // namespace floodgate

int main(int argc, char** argv) {
    try {
        return floodgate::run(argc, argv);
    } catch (const std::exception& e) {
        floodgate::log::stop();
        std::fprintf(stderr, "floodgate: %s\n", e.what());
        return 1;
    }
}
