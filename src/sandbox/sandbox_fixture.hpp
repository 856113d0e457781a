// For tests: the sandbox with one merchant, and the merchant's side of both protocols.

#pragma once

#include <boost/json/object.hpp>

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "pay/form.hpp"
#include "sandbox/sandbox.hpp"
#include "store/sql/sqlite_database.hpp"

namespace floodgate::sandbox {

// Takes what it is told to, and remembers it.
class recording_poster final : public poster {
public:
    struct message {
        std::string url;
        header_list headers;
        std::string body;
    };
    posted post(const std::string& url, const header_list& headers,
                const std::string& body) override;

    posted answer{200, "success"};  // which both channels take
    std::vector<message> messages;
};

class SandboxTest : public testing::Test {
protected:
    static constexpr const char* app_id = "2021000000000001";
    static constexpr const char* seller_id = "2088000000000001";
    static constexpr const char* mch_id = "1900000001";
    static constexpr const char* wechat_app_id = "wx0000000000000001";
    static constexpr const char* merchant_serial = "7132D72A03E93CDDF8C03BBD1F37EEDF";
    static constexpr const char* first_serial = "5157F09EFDC096DE15EBE81A47057A72";
    static constexpr const char* second_serial = "PUB_KEY_ID_0000000000000000000001";
    static constexpr const char* apiv3_text = "0123456789abcdef0123456789ABCDEF";
    static constexpr const char* alipay_notify_url = "http://127.0.0.1:1/alipay";
    static constexpr const char* wechat_notify_url = "http://127.0.0.1:1/wechat";
    static constexpr const char* return_url = "http://127.0.0.1:1/return";

    SandboxTest();

    response send(const std::string& verb, const std::string& target, const std::string& body = "",
                  header_list headers = {});
    // The sandbox's own calls. `status` is what is expected.
    boost::json::object control(const std::string& verb, const std::string& target,
                                const std::string& body = "", int status = 200);
    void set(const std::string& switches) { control("POST", "/sandbox/switches", switches); }
    void act(const std::string& out_trade_no, const std::string& what, int status = 200) {
        control("POST", "/sandbox/trades/" + out_trade_no + "/" + what, "", status);
    }
    std::string state(const std::string& out_trade_no);
    void deliver();  // until nothing is due
    void restart();

    // A complete request, not signed.
    pay::parameters alipay_parameters(const std::string& method, const std::string& biz) const;
    static pay::parameters signed_by_merchant(pay::parameters all);
    response post_alipay(const pay::parameters& all);
    // Signs, sends, checks the reply's signature and gives its node.
    boost::json::object alipay(const std::string& method, const std::string& biz);
    static boost::json::object verified_node(const response& r, const std::string& method);
    // The code of the cashier's page; empty if the order was refused.
    std::string order_page(const std::string& out_trade_no, const std::string& more = "");

    response send_wechat(const std::string& verb, const std::string& target,
                         const std::string& body = "");
    // Checks the reply's signature as well.
    boost::json::object wechat(const std::string& verb, const std::string& target,
                               const std::string& body, int status);
    std::string native_body(const std::string& out_trade_no, const std::string& more = "") const;
    // The code in the code_url.
    std::string order_native(const std::string& out_trade_no, const std::string& more = "");
    pay::keys_by_serial platform_keys() const;
    pay::authenticity verify(const header_list& headers, const std::string& body) const;
    // The object inside a notify of WeChat Pay.
    static boost::json::object opened(const std::string& notify_body);

    instant now;
    recording_poster shop;

private:
    parties make_parties() const;
    static pay::apiv3_key shared_key();

    std::unique_ptr<store::database> db_;
    std::unique_ptr<gateway> gateway_;
};

}  // namespace floodgate::sandbox
