#include "commands/sandbox.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <map>

#include "base/config_file.hpp"
#include "base/endpoint.hpp"
#include "base/log.hpp"
#include "commands/end_signal.hpp"
#include "commands/private_files.hpp"
#include "commands/sandbox_keys.hpp"
#include "commands/sandbox_server.hpp"
#include "engine/data_directory.hpp"
#include "engine/pay_settings.hpp"

namespace floodgate::commands {
namespace {

void expect_match(const std::string& private_file, const std::string& public_file,
                  const std::string& keys) {
    if (public_file.empty()) return;
    if (!matches(pay::private_key::from_file(private_file),
                 pay::public_key::from_file(public_file)))
        throw pay::key_error(fmt::format("{}: the keys in {} and {} do not belong together", keys,
                                         private_file, public_file));
}

std::optional<sandbox::alipay_files> read_alipay(config_file& file) {
    sandbox::alipay_files f;
    std::string known_to_merchant;
    file.read("pay.alipay.app_id", f.app_id);
    file.read("pay.alipay.seller_id", f.seller_id);
    file.read("pay.alipay.platform_public_key_file", known_to_merchant);
    file.read("sandbox.alipay.merchant_public_key_file", f.merchant_public_key_file);
    file.read("sandbox.alipay.platform_private_key_file", f.platform_private_key_file);
    if (f.merchant_public_key_file.empty() && f.platform_private_key_file.empty()) return {};
    if (!f.platform_private_key_file.empty())
        expect_match(f.platform_private_key_file, known_to_merchant,
                     "sandbox.alipay.platform_private_key_file and "
                     "pay.alipay.platform_public_key_file");
    return f;
}

// Programs differ in the zeros at the beginning and in the case of letters.
std::string plain_serial(std::string serial) {
    serial.erase(0, serial.find_first_not_of('0'));
    for (char& letter : serial)
        if (letter >= 'a' && letter <= 'f') letter = static_cast<char>(letter - 'a' + 'A');
    return serial;
}

void expect_serial(const sandbox::wechat_files& f) {
    const std::string serial =
        pay::public_key::from_file(f.merchant_certificate_file).certificate_serial();
    if (!serial.empty() && !f.merchant_serial.empty() &&
        plain_serial(serial) != plain_serial(f.merchant_serial))
        throw pay::key_error(
            fmt::format("pay.wechat.serial is {}, but {} has the serial {}: write that one",
                        f.merchant_serial, f.merchant_certificate_file, serial));
}

std::optional<sandbox::wechat_files> read_wechat(config_file& file) {
    sandbox::wechat_files f;
    file.read("pay.wechat.mch_id", f.mch_id);
    file.read("pay.wechat.app_id", f.app_id);
    file.read("pay.wechat.serial", f.merchant_serial);
    file.read("pay.wechat.apiv3_key_file", f.apiv3_key_file);
    file.read("sandbox.wechat.merchant_certificate_file", f.merchant_certificate_file);
    file.read("sandbox.wechat.platform_private_key_file", f.platform_private_key_file);
    file.read("sandbox.wechat.platform_serial", f.platform_serial);
    file.read("sandbox.wechat.platform_certificate_file", f.platform_certificate_file);
    file.read("sandbox.wechat.second_platform_private_key_file",
              f.second_platform_private_key_file);
    file.read("sandbox.wechat.second_platform_serial", f.second_platform_serial);
    if (f.merchant_certificate_file.empty() && f.platform_private_key_file.empty()) return {};
    std::map<std::string, std::string> known_to_merchant;
    file.read("pay.wechat.platform_keys", known_to_merchant);
    if (!f.platform_private_key_file.empty() && known_to_merchant.contains(f.platform_serial))
        expect_match(f.platform_private_key_file, known_to_merchant[f.platform_serial],
                     "sandbox.wechat.platform_private_key_file and pay.wechat.platform_keys");
    if (!f.merchant_certificate_file.empty()) expect_serial(f);
    return f;
}

// The other sections are the shop's business: both programs may read one file.
sandbox::parties configured_parties(const std::string& path) {
    config_file file(path);
    const auto alipay = read_alipay(file);
    const auto wechat = read_wechat(file);
    if (!alipay && !wechat)
        throw config_error(path +
                           ": the sandbox plays nobody: it needs [sandbox.alipay] or "
                           "[sandbox.wechat] with the keys of its side");
    return sandbox::load_parties(alipay, wechat);
}

void print_welcome(const std::string& address) {
    fmt::print(
        "The payment sandbox listens on / 支付沙箱监听地址 {0}\n"
        "  {0}/sandbox   trades and switches / 交易与开关\n"
        "  {0}/gateway.do   Alipay / 支付宝      {0}/v3/   WeChat Pay / 微信支付\n"
        "  curl -X POST {0}/sandbox/trades/OUT_TRADE_NO/pay   pay by script / 脚本付款\n",
        address);
    std::fflush(stdout);
}

void print_merchant(const std::string& file, const std::string& configuration) {
    fmt::print(
        "\nIts keys are new or from an earlier start. A shop takes its play money with / "
        "商家配置如下:\n"
        "  floodgate serve --config {}\n\n{}\n",
        file, configuration);
    std::fflush(stdout);
}

// Where this machine reaches a server that listens there.
std::string local_address(endpoint listens_on) {
    if (listens_on.host == "0.0.0.0" || listens_on.host == "localhost")
        listens_on.host = "127.0.0.1";
    if (listens_on.host == "::") listens_on.host = "::1";
    return "http://" + listens_on.text();
}

// At the usual distance from the shop, 8090 beside 8080; if that port is taken, at any free one.
std::unique_ptr<sandbox_server> start_near(const endpoint& shop, const sandbox_keys& keys,
                                           const std::string& data) {
    constexpr unsigned distance = 10, port_max = 65'535;
    const auto start_at = [&](unsigned port) {
        return std::make_unique<sandbox_server>(
            sandbox::load_parties(keys.alipay, keys.wechat),
            sandbox_server::options{fmt::format("127.0.0.1:{}", port), data});
    };
    if (shop.port + distance > port_max) return start_at(0);
    try {
        return start_at(shop.port + distance);
    } catch (const std::runtime_error& e) {
        log::warning("commands.sandbox_moved", "why", e.what());
        return start_at(0);
    }
}

}  // namespace

void run_sandbox(const sandbox_options& o) {
    if (!o.config.empty()) {
        const sandbox_server running(configured_parties(o.config), {o.listen, o.data});
        print_welcome(running.address());
        wait_for_the_end();
        return;
    }
    const sandbox_keys keys = keep_sandbox_keys(o.data, wall_clock().now());
    const sandbox_server running(sandbox::load_parties(keys.alipay, keys.wechat),
                                 {o.listen, o.data});
    const std::string file = o.data + "/merchant.toml";
    const std::string configuration = merchant_configuration(
        keys, {.sandbox = local_address(parse_endpoint(running.listens_on())), .shop = o.shop});
    write_private_file(file, configuration);
    print_welcome(running.address());
    print_merchant(file, configuration);
    wait_for_the_end();
}

std::unique_ptr<sandbox_server> start_demo_sandbox(engine::settings& s) {
    const endpoint shop = parse_endpoint(s.server.listen, 0);
    if (s.pay.alipay || s.pay.wechat || s.mode == engine::run_mode::clustered || shop.port == 0 ||
        !s.server.tls_certificate_file.empty())
        return nullptr;
    engine::prepare_data_directory(s.data);
    const std::string data = s.data + "/sandbox";
    const sandbox_keys keys = keep_sandbox_keys(data, wall_clock().now());
    auto running = start_near(shop, keys, data);
    const sandbox_places places{.sandbox = running->address(), .shop = local_address(shop)};
    const std::string file = data + "/merchant.toml";
    write_private_file(file, merchant_configuration(keys, places));
    config_file merchant(file);
    engine::read_pay(merchant, s.pay, s.secret_files);
    print_welcome(running->address());
    return running;
}

}  // namespace floodgate::commands
