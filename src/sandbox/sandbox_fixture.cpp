#include "sandbox/sandbox_fixture.hpp"

#include <boost/json/parse.hpp>

#include <fmt/format.h>

#include "pay/alipay_response.hpp"
#include "pay/alipay_text.hpp"
#include "pay/beijing_time.hpp"
#include "pay/new_keys.hpp"
#include "pay/test_data.hpp"

namespace floodgate::sandbox {
namespace {

namespace json = boost::json;

pay::private_key stranger_key() {
    static const pay::private_key key =
        pay::private_key::from_text(pay::make_key_pair().private_pem);
    return key;
}

json::object object_in(const std::string& text) {
    boost::system::error_code broken;
    json::value v = json::parse(text, broken);
    EXPECT_TRUE(!broken && v.is_object()) << text;
    return v.is_object() ? v.get_object() : json::object();
}

std::string in_headers(const header_list& headers, const char* name) {
    return std::string(header_of(headers, name));
}

}  // namespace

posted recording_poster::post(const std::string& url, const header_list& headers,
                              const std::string& body) {
    messages.push_back({url, headers, body});
    return answer;
}

SandboxTest::SandboxTest()
    : now(*pay::parse_beijing_text("2026-11-17 12:00:00")),
      db_(store::open_sqlite({.path = ":memory:", .readers_max = 1})) {
    restart();
}

pay::apiv3_key SandboxTest::shared_key() { return pay::apiv3_key::from_text(apiv3_text); }

void SandboxTest::restart() { gateway_ = std::make_unique<gateway>(make_parties(), *db_); }

parties SandboxTest::make_parties() const {
    return {.alipay = alipay_party{app_id, seller_id, pay::test_public_key("merchant"),
                                   pay::test_private_key("platform")},
            .wechat =
                wechat_party{mch_id,
                             wechat_app_id,
                             {{merchant_serial, pay::test_public_key("merchant")}},
                             shared_key(),
                             {"", first_serial, pay::test_private_key("platform")},
                             pay::wechat_signer{"", second_serial, pay::test_private_key("other")},
                             {{first_serial, "a certificate"}}},
            .stranger = stranger_key()};
}

response SandboxTest::send(const std::string& verb, const std::string& target,
                           const std::string& body, header_list headers) {
    const std::size_t mark = target.find('?');
    request r{verb, target.substr(0, mark), "", std::move(headers), body};
    if (mark != std::string::npos) r.query = target.substr(mark + 1);
    return gateway_->answer(r, now);
}

boost::json::object SandboxTest::control(const std::string& verb, const std::string& target,
                                         const std::string& body, int status) {
    const response r = send(verb, target, body);
    EXPECT_EQ(r.status, status) << target << ": " << r.body;
    return object_in(r.body);
}

std::string SandboxTest::state(const std::string& out_trade_no) {
    return control("GET", "/sandbox/trades/" + out_trade_no).at("state").as_string().c_str();
}

void SandboxTest::deliver() {
    while (gateway_->deliver(shop, now) <= now) continue;
}

pay::parameters SandboxTest::alipay_parameters(const std::string& method,
                                               const std::string& biz) const {
    return {{"app_id", app_id},    {"method", method},
            {"format", "JSON"},    {"charset", "utf-8"},
            {"sign_type", "RSA2"}, {"timestamp", pay::to_beijing_text(now)},
            {"version", "1.0"},    {"notify_url", alipay_notify_url},
            {"biz_content", biz},  {"return_url", return_url}};
}

pay::parameters SandboxTest::signed_by_merchant(pay::parameters all) {
    pay::sign_alipay_request(all, pay::test_private_key("merchant"));
    return all;
}

response SandboxTest::post_alipay(const pay::parameters& all) {
    pay::parameters query = all;
    pay::parameters body;
    // As the official clients do it: biz_content in the body, the rest in the address.
    if (auto biz = query.extract("biz_content")) body.insert(std::move(biz));
    return send("POST", "/gateway.do?" + pay::encode_form(query), pay::encode_form(body),
                {{"Content-Type", "application/x-www-form-urlencoded;charset=utf-8"}});
}

boost::json::object SandboxTest::alipay(const std::string& method, const std::string& biz) {
    return verified_node(post_alipay(signed_by_merchant(alipay_parameters(method, biz))), method);
}

boost::json::object SandboxTest::verified_node(const response& r, const std::string& method) {
    EXPECT_EQ(r.status, 200);
    const pay::alipay_response reply =
        pay::verify_alipay_response(r.body, method, pay::test_public_key("platform"));
    EXPECT_EQ(reply.how, pay::authenticity::genuine) << r.body;
    return object_in(std::string(reply.node));
}

std::string SandboxTest::order_page(const std::string& out_trade_no, const std::string& more) {
    const std::string biz = fmt::format(
        R"({{"out_trade_no":"{}","product_code":"FAST_INSTANT_TRADE_PAY","total_amount":"99.00",)"
        R"("subject":"水壶 100%"{}}})",
        out_trade_no, more);
    const pay::parameters all = signed_by_merchant(alipay_parameters("alipay.trade.page.pay", biz));
    const response r = send("GET", "/gateway.do?" + pay::encode_form(all));
    const std::string where = in_headers(r.headers, "Location");
    return where.substr(where.rfind('/') + 1);
}

response SandboxTest::send_wechat(const std::string& verb, const std::string& target,
                                  const std::string& body) {
    const pay::wechat_seal seal = pay::sign_wechat_request(
        {verb, target, body}, {mch_id, merchant_serial, pay::test_private_key("merchant")}, now,
        "593BEC0C930BF1AFEB40B4A08C8FB242");
    return send(verb, target, body,
                {{"Authorization", pay::to_authorization(seal)},
                 {"Accept", "application/json"},
                 {"Content-Type", "application/json"}});
}

boost::json::object SandboxTest::wechat(const std::string& verb, const std::string& target,
                                        const std::string& body, int status) {
    const response r = send_wechat(verb, target, body);
    EXPECT_EQ(r.status, status) << r.body;
    EXPECT_EQ(verify(r.headers, r.body), pay::authenticity::genuine);
    return r.body.empty() ? json::object() : object_in(r.body);
}

std::string SandboxTest::native_body(const std::string& out_trade_no,
                                     const std::string& more) const {
    return fmt::format(R"({{"appid":"{}","mchid":"{}","description":"水壶","out_trade_no":"{}",)"
                       R"("notify_url":"{}","amount":{{"total":9900,"currency":"CNY"}}{}}})",
                       wechat_app_id, mch_id, out_trade_no, wechat_notify_url, more);
}

std::string SandboxTest::order_native(const std::string& out_trade_no, const std::string& more) {
    const json::object o =
        wechat("POST", "/v3/pay/transactions/native", native_body(out_trade_no, more), 200);
    const std::string url = o.contains("code_url") ? o.at("code_url").as_string().c_str() : "";
    EXPECT_EQ(url.rfind("weixin://wxpay/bizpayurl?pr=", 0), 0U);
    return url.substr(url.find('=') + 1);
}

pay::keys_by_serial SandboxTest::platform_keys() const {
    return {{first_serial, pay::test_public_key("platform")},
            {second_serial, pay::test_public_key("other")}};
}

pay::authenticity SandboxTest::verify(const header_list& headers, const std::string& body) const {
    const pay::wechat_seal seal{
        "", in_headers(headers, "Wechatpay-Serial"), in_headers(headers, "Wechatpay-Timestamp"),
        in_headers(headers, "Wechatpay-Nonce"), in_headers(headers, "Wechatpay-Signature")};
    return pay::verify_wechat_message(body, seal, platform_keys(), now);
}

boost::json::object SandboxTest::opened(const std::string& notify_body) {
    const json::object resource = object_in(notify_body).at("resource").as_object();
    const auto text = [&](const char* name) { return std::string(resource.at(name).as_string()); };
    const pay::wechat_content content = pay::decrypt_resource(
        {text("algorithm"), text("ciphertext"), text("nonce"), text("associated_data")},
        shared_key());
    EXPECT_EQ(content.how, pay::authenticity::genuine);
    return object_in(content.text);
}

}  // namespace floodgate::sandbox
