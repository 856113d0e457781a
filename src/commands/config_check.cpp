#include "commands/config_check.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <unistd.h>

#include "base/even_clock.hpp"
#include "engine/secret_files.hpp"
#include "engine/settings.hpp"
#include "http/listening.hpp"
#include "http/server.hpp"
#include "store/http/http_caller.hpp"

namespace floodgate::commands {
namespace {

template <class Act>
void expect(config_report& report, const std::string& what, Act act) {
    try {
        act();
    } catch (const std::exception& e) {
        report.faults.push_back(what.empty() ? std::string(e.what())
                                             : fmt::format("{}: {}", what, e.what()));
    }
}

void check_listeners(config_report& report, const engine::settings& s) {
    const http::server_options& o = s.server;
    expect(report, "edge.listen", [&] { http::check_address(o.listen); });
    if (!o.operator_listen.empty())
        expect(report, "edge.operator_listen", [&] { http::check_address(o.operator_listen); });
    if (o.tls_certificate_file.empty() != o.tls_key_file.empty())
        report.faults.emplace_back(
            "edge.tls_certificate_file and edge.tls_key_file: both or neither");
    else if (!o.tls_key_file.empty())
        expect(report, "edge.tls_certificate_file",
               [&] { http::check_certificate(o.tls_certificate_file, o.tls_key_file); });
}

void check_channels(config_report& report, const engine::settings& s) {
    expect(report, "", [&] {
        store::curl_caller caller({.allow_private = s.pay.sandbox});
        even_clock clock;
        pay::channels channels;
        engine::open_channels(s.pay, caller, clock, channels);
    });
    if (!s.points.secret_file.empty())
        expect(report, "points.secret_file",
               [&] { engine::read_points_secret(s.points.secret_file); });
}

void look_around(config_report& report, const engine::settings& s) {
    std::vector<std::string>& to =
        s.cluster.strict ? report.faults : report.warnings;  // as judge_secret_files() does it
    for (const std::string& sentence : engine::exposed_secrets(s)) to.push_back(sentence);
    std::error_code error;
    if (std::filesystem::exists(s.data, error) && ::access(s.data.c_str(), W_OK) != 0)
        report.warnings.push_back(fmt::format("data: {} cannot be written by this user", s.data));
    if (s.pay_test)
        report.warnings.emplace_back("pay.allow_test is on: orders can be paid without money");
    if (s.pay.sandbox) report.warnings.emplace_back("pay.sandbox is on: payments go to a sandbox");
    if (!s.pay_test && !s.pay.alipay && !s.pay.wechat && !s.pay.external && !s.points.enabled)
        report.warnings.emplace_back("no way to pay is configured: see [pay.*] and [points]");
}

}  // namespace

config_report check_config(const std::string& path) {
    config_report report;
    const engine::settings s = engine::read_settings(path, report.faults);
    check_listeners(report, s);
    check_channels(report, s);
    look_around(report, s);
    return report;
}

}  // namespace floodgate::commands
