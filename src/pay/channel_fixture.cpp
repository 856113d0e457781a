#include "pay/channel_fixture.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <unistd.h>

#include "pay/test_data.hpp"

namespace floodgate::pay {

store::http_answer scripted_caller::ask(const store::http_question& q) {
    asked.push_back(q);
    if (answers_.empty()) return no_answer();
    store::http_answer a = std::move(answers_.front());
    answers_.pop_front();
    return a;
}

store::http_answer answer_of(int status, std::string body, store::http_headers headers) {
    return {.status = status, .error = {}, .headers = std::move(headers), .body = std::move(body)};
}

store::http_answer no_answer() {
    return {.status = 0, .error = "Timeout was reached", .headers = {}, .body = {}};
}

key_directory::key_directory()
    : root_(std::filesystem::temp_directory_path() / "floodgate-channel-XXXXXX") {
    if (::mkdtemp(root_.data()) == nullptr) throw std::runtime_error("no directory");
}

key_directory::~key_directory() { std::filesystem::remove_all(root_); }

std::string key_directory::write(const std::string& name, const std::string& text) {
    const std::filesystem::path to = std::filesystem::path(root_) / name;
    std::ofstream(to, std::ios::binary) << text;
    std::filesystem::permissions(
        to, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    return to;
}

std::string key_directory::copy(const std::string& name) {
    return write(name, test_data("test_only_" + name));
}

alipay_files key_directory::alipay() {
    return {.app_id = "2021000000000001",
            .seller_id = "2088000000000001",
            .gateway = "http://127.0.0.1:1/gateway.do",
            .private_key_file = copy("merchant.pkcs8.pem"),
            .platform_public_key_file = copy("platform.public.pem"),
            .notify_url = "http://127.0.0.1:1/alipay",
            .return_url = "http://127.0.0.1:1/return"};
}

wechat_files key_directory::wechat() {
    return {.mch_id = "1900000001",
            .app_id = "wx0000000000000001",
            .serial = test_line("test_only_merchant.serial.txt"),
            .private_key_file = copy("merchant.pkcs8.pem"),
            .apiv3_key_file = copy("apiv3_key.txt"),
            .base = "http://127.0.0.1:1",
            .notify_url = "http://127.0.0.1:1/wechat",
            .platform_keys = {
                {test_line("test_only_platform.serial.txt"), copy("platform.certificate.pem")},
                {"PUB_KEY_ID_0000000000000000000001", copy("other.public.pem")}}};
}

external_files key_directory::external() {
    return {.checkout_url = "http://127.0.0.1:1/cashier",
            .webhook_url = "http://127.0.0.1:1/webhook?from=floodgate",
            .secret_file = write("external.secret", "an-external-secret-of-32-letters\n")};
}

sale::order order_made_at(instant created) {
    sale::order o{};
    o.no = sale::order_no{382'100'000'000'000'123};
    o.quantity = 1;
    o.amount = sale::fen{9900};
    o.state = sale::order_state::unpaid;
    o.created_at = created;
    o.pay_by = created + std::chrono::minutes(15);
    return o;
}

}  // namespace floodgate::pay
