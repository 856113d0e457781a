#include "engine/pay_settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "base/log.hpp"
#include "pay/test_address.hpp"

namespace floodgate::engine {
namespace {

struct option {
    const char* name;
    std::string& value;
    bool is_secret = false;   // a file that keeps one
    bool is_address = false;  // of the channel, or of ours where it sends its messages
};

// The names of the options that are not set, of a section that sets any.
void expect_all_set(const std::string& section, const std::vector<std::string>& missing) {
    if (missing.empty()) return;
    throw std::invalid_argument(
        fmt::format("[{}] also needs {}", section, fmt::join(missing, ", ")));
}

std::vector<std::string> read_options(config_file& file, const std::string& section,
                                      const std::vector<option>& options) {
    std::vector<std::string> missing;
    for (const option& o : options) {
        file.read(section + "." + o.name, o.value);
        if (o.value.empty()) missing.emplace_back(o.name);
    }
    return missing;
}

void check_options(const std::string& section, const std::vector<option>& options, bool sandbox,
                   std::vector<std::string>& secret_files) {
    for (const option& o : options) {
        if (o.is_secret && std::ranges::find(secret_files, o.value) == secret_files.end())
            secret_files.push_back(o.value);
        if (o.is_address && !sandbox && pay::is_test_address(o.value))
            throw std::invalid_argument(
                fmt::format("{}.{} is an address of this machine, a private network or a sandbox; "
                            "for a trial without real money set pay.sandbox = true",
                            section, o.name));
    }
}

void read_alipay(config_file& file, pay_settings& s, std::vector<std::string>& secret_files) {
    const std::string section = "pay.alipay";
    pay::alipay_files f;
    const std::vector<option> options{
        {"app_id", f.app_id},
        {"seller_id", f.seller_id},
        {"gateway", f.gateway, false, true},
        {"private_key_file", f.private_key_file, true},
        {"platform_public_key_file", f.platform_public_key_file},
        {"notify_url", f.notify_url, false, true},
        {"return_url", f.return_url, false, true},
    };
    const auto missing = read_options(file, section, options);
    if (missing.size() == options.size()) return;
    expect_all_set(section, missing);
    check_options(section, options, s.sandbox, secret_files);
    f.sandbox = s.sandbox;
    s.alipay = std::move(f);
}

void read_wechat(config_file& file, pay_settings& s, std::vector<std::string>& secret_files) {
    const std::string section = "pay.wechat";
    pay::wechat_files f;
    const std::vector<option> options{
        {"mch_id", f.mch_id},
        {"app_id", f.app_id},
        {"serial", f.serial},
        {"private_key_file", f.private_key_file, true},
        {"apiv3_key_file", f.apiv3_key_file, true},
        {"base", f.base, false, true},
        {"notify_url", f.notify_url, false, true},
    };
    auto missing = read_options(file, section, options);
    file.read(section + ".platform_keys", f.platform_keys);
    if (f.platform_keys.empty()) missing.emplace_back("platform_keys");
    if (missing.size() == options.size() + 1) return;
    expect_all_set(section, missing);
    check_options(section, options, s.sandbox, secret_files);
    f.sandbox = s.sandbox;
    s.wechat = std::move(f);
}

void read_external(config_file& file, pay_settings& s, std::vector<std::string>& secret_files) {
    const std::string section = "pay.external";
    pay::external_files f;
    const std::vector<option> options{
        {"checkout_url", f.checkout_url, false, true},
        {"webhook_url", f.webhook_url, false, true},
        {"secret_file", f.secret_file, true},
    };
    const auto missing = read_options(file, section, options);
    const std::vector<option> optional{{"old_secret_file", f.old_secret_file, true}};
    const bool has_old_secret = read_options(file, section, optional).empty();
    if (missing.size() == options.size() && !has_old_secret) return;
    expect_all_set(section, missing);
    check_options(section, options, s.sandbox, secret_files);
    if (has_old_secret) check_options(section, optional, s.sandbox, secret_files);
    s.external = std::move(f);
}

// What `floodgate sandbox` reads.
void let_sandbox_pass(config_file& file) {
    constexpr std::array keys{"alipay.merchant_public_key_file",
                              "alipay.platform_private_key_file",
                              "wechat.merchant_certificate_file",
                              "wechat.platform_private_key_file",
                              "wechat.platform_serial",
                              "wechat.platform_certificate_file",
                              "wechat.second_platform_private_key_file",
                              "wechat.second_platform_serial"};
    std::string ignored;
    for (const char* key : keys) file.read(std::string("sandbox.") + key, ignored);
}

// `open` gives a channel, or throws what is wrong with its keys.
template <class Open>
void add(pay::channels& to, const char* section, Open open) {
    try {
        to.add(open());
    } catch (const std::exception& e) {
        // The sentence names the option if it can, but not the file of a key.
        const std::string why = e.what();
        throw std::runtime_error(why.starts_with("pay.") ? why
                                                         : fmt::format("[{}] {}", section, why));
    }
}

}  // namespace

void read_pay(config_file& file, pay_settings& s, std::vector<std::string>& secret_files) {
    file.read("pay.sandbox", s.sandbox);
    read_alipay(file, s, secret_files);
    read_wechat(file, s, secret_files);
    read_external(file, s, secret_files);
    let_sandbox_pass(file);
}

void open_channels(const pay_settings& s, store::http_caller& by, const floodgate::clock& clock,
                   pay::channels& to) {
    if (s.alipay) add(to, "pay.alipay", [&] { return pay::open_alipay(*s.alipay, by, clock); });
    if (s.wechat) add(to, "pay.wechat", [&] { return pay::open_wechat(*s.wechat, by, clock); });
    if (s.external)
        add(to, "pay.external", [&] { return pay::open_external(*s.external, by, clock); });
    if (s.sandbox && (s.alipay || s.wechat || s.external))
        log::warning("engine.pay_sandbox", "do", "sell nothing: no real money is taken");
}

}  // namespace floodgate::engine
