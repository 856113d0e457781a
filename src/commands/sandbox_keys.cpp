#include "commands/sandbox_keys.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "commands/private_files.hpp"
#include "guard/tokens.hpp"
#include "pay/new_keys.hpp"
#include "pay/wechat_cipher.hpp"

namespace floodgate::commands {
namespace {

namespace fs = std::filesystem;

// As long as the real ones, and easily told from them.
constexpr const char* alipay_app_id = "9021000100000001";
constexpr const char* alipay_seller_id = "2088000000000001";
constexpr const char* wechat_mch_id = "1900000001";
constexpr const char* wechat_app_id = "wx0000000000000001";
constexpr auto certificates_last = std::chrono::years(20);

void make_private_directory(const fs::path& path) {
    std::error_code error;
    fs::create_directories(path, error);
    if (!error) fs::permissions(path, fs::perms::owner_all, error);
    if (error) throw std::runtime_error(path.string() + ": " + error.message());
}

struct named_files {
    fs::path in;

    std::string operator()(const char* name) const { return (in / name).string(); }
    std::string alipay_merchant() const { return (*this)("alipay_merchant.pem"); }
    std::string alipay_merchant_public() const { return (*this)("alipay_merchant_public.pem"); }
    std::string alipay_platform() const { return (*this)("alipay_platform.pem"); }
    std::string alipay_platform_public() const { return (*this)("alipay_platform_public.pem"); }
    std::string wechat_merchant() const { return (*this)("wechat_merchant.pem"); }
    std::string wechat_merchant_certificate() const {
        return (*this)("wechat_merchant_certificate.pem");
    }
    std::string wechat_platform() const { return (*this)("wechat_platform.pem"); }
    std::string wechat_platform_certificate() const {
        return (*this)("wechat_platform_certificate.pem");
    }
    std::string wechat_apiv3() const { return (*this)("wechat_apiv3.key"); }
};

void write_key_pair(const std::string& private_file, const std::string& public_file) {
    const pay::key_pair_pem made = pay::make_key_pair();
    write_private_file(private_file, made.private_pem);
    write_private_file(public_file, made.public_pem);
}

void write_certified_key(const std::string& private_file, const std::string& certificate_file,
                         const pay::certificate_terms& terms) {
    const std::string made = pay::make_key_pair().private_pem;
    write_private_file(private_file, made);
    write_private_file(certificate_file,
                       pay::make_certificate(pay::private_key::from_text(made), terms));
}

// Known by its beginning; the rest is still more than anybody guesses.
std::string new_apiv3_key() {
    constexpr std::size_t letters = 32;
    static_assert(guard::token_characters == letters);
    return std::string(pay::sandbox_apiv3_prefix) +
           guard::new_token().substr(pay::sandbox_apiv3_prefix.size());
}

void make_keys(const named_files& files, instant now) {
    write_key_pair(files.alipay_merchant(), files.alipay_merchant_public());
    write_key_pair(files.alipay_platform(), files.alipay_platform_public());
    const auto until = now + std::chrono::duration_cast<milliseconds>(certificates_last);
    write_certified_key(files.wechat_merchant(), files.wechat_merchant_certificate(),
                        {"Floodgate sandbox merchant", now, until});
    write_certified_key(files.wechat_platform(), files.wechat_platform_certificate(),
                        {"Floodgate sandbox platform", now, until});
    write_private_file(files.wechat_apiv3(), new_apiv3_key());
}

// A TOML string.
std::string in_quotes(const std::string& text) {
    std::string quoted = "\"";
    for (const char letter : text) {
        if (letter == '"' || letter == '\\') quoted += '\\';
        quoted += letter;
    }
    return quoted + '"';
}

}  // namespace

sandbox_keys keep_sandbox_keys(const std::string& directory, instant now) {
    const fs::path place = fs::absolute(directory);
    const fs::path keys = place / "keys", unfinished = place / "keys.new";
    make_private_directory(place);
    if (!fs::exists(keys)) {
        fs::remove_all(unfinished);
        make_private_directory(unfinished);
        make_keys({unfinished}, now);
        fs::rename(unfinished, keys);
    }
    const named_files files{keys};
    const auto serial_in = [](const std::string& certificate) {
        return pay::public_key::from_file(certificate).certificate_serial();
    };
    return {.alipay = {alipay_app_id, alipay_seller_id, files.alipay_merchant_public(),
                       files.alipay_platform()},
            .wechat = {.mch_id = wechat_mch_id,
                       .app_id = wechat_app_id,
                       .apiv3_key_file = files.wechat_apiv3(),
                       .merchant_certificate_file = files.wechat_merchant_certificate(),
                       .merchant_serial = serial_in(files.wechat_merchant_certificate()),
                       .platform_private_key_file = files.wechat_platform(),
                       .platform_serial = serial_in(files.wechat_platform_certificate()),
                       .platform_certificate_file = files.wechat_platform_certificate()},
            .alipay_private_key_file = files.alipay_merchant(),
            .alipay_platform_public_key_file = files.alipay_platform_public(),
            .wechat_private_key_file = files.wechat_merchant(),
            .wechat_platform_certificate_file = files.wechat_platform_certificate()};
}

std::string merchant_configuration(const sandbox_keys& keys, const sandbox_places& places) {
    const std::string messages = places.shop + "/api/v1/payments/";
    return fmt::format(
               "[pay]\n"
               "sandbox = true\n"
               "[pay.alipay]\n"
               "app_id = {}\nseller_id = {}\ngateway = {}\n"
               "private_key_file = {}\nplatform_public_key_file = {}\n"
               "notify_url = {}\nreturn_url = {}\n",
               in_quotes(keys.alipay.app_id), in_quotes(keys.alipay.seller_id),
               in_quotes(places.sandbox + "/gateway.do"), in_quotes(keys.alipay_private_key_file),
               in_quotes(keys.alipay_platform_public_key_file),
               in_quotes(messages + "alipay/notify"), in_quotes(messages + "alipay/return")) +
           fmt::format(
               "[pay.wechat]\n"
               "mch_id = {}\napp_id = {}\nserial = {}\n"
               "private_key_file = {}\napiv3_key_file = {}\n"
               "base = {}\nnotify_url = {}\n"
               "platform_keys = {{ {} = {} }}\n",
               in_quotes(keys.wechat.mch_id), in_quotes(keys.wechat.app_id),
               in_quotes(keys.wechat.merchant_serial), in_quotes(keys.wechat_private_key_file),
               in_quotes(keys.wechat.apiv3_key_file), in_quotes(places.sandbox),
               in_quotes(messages + "wechat/notify"), in_quotes(keys.wechat.platform_serial),
               in_quotes(keys.wechat_platform_certificate_file));
}

}  // namespace floodgate::commands
