// For tests in which the merchant's channels of pay/ meet the sandbox: two sides written from the
// same fact sheet, joined without a network.

#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pay/channel_fixture.hpp"
#include "pay/test_data.hpp"
#include "sandbox/sandbox_fixture.hpp"

namespace floodgate::sandbox {

inline pay::refund_request all_of(const sale::order& o) {
    return pay::whole_refund(o, pay::trade_number(o) + "R1");
}

// Turns the merchant's calls into requests of the sandbox.
class sandbox_caller final : public store::http_caller {
public:
    using answerer = std::function<response(const std::string& verb, const std::string& target,
                                            const std::string& body, header_list headers)>;
    explicit sandbox_caller(answerer a) : answer_(std::move(a)) {}

    store::http_answer ask(const store::http_question& q) override {
        if (!up) return pay::no_answer();
        const response r = answer_(q.verb, q.url.substr(q.url.find('/', 8)), q.body, q.headers);
        return pay::answer_of(r.status, r.body, r.headers);
    }
    bool up = true;

private:
    const answerer answer_;
};

// Shows the time of the fixture.
class fixture_clock final : public floodgate::clock {
public:
    explicit fixture_clock(const instant& now) : now_(now) {}
    instant now() const override { return now_; }

private:
    const instant& now_;
};

class MerchantTest : public SandboxTest {
protected:
    pay::alipay_files alipay_settings() {
        pay::alipay_files f = keys.alipay();
        f.app_id = app_id;
        f.seller_id = seller_id;
        f.notify_url = alipay_notify_url;
        f.return_url = return_url;
        return f;
    }
    pay::wechat_files wechat_settings() {
        pay::wechat_files f = keys.wechat();
        f.mch_id = mch_id;
        f.app_id = wechat_app_id;
        f.serial = merchant_serial;
        f.apiv3_key_file = keys.write("apiv3", apiv3_text);
        f.notify_url = wechat_notify_url;
        f.platform_keys = {{first_serial, keys.copy("platform.public.pem")},
                           {second_serial, keys.copy("other.public.pem")}};
        return f;
    }

    std::string number() const { return pay::trade_number(order); }
    // The buyer opens the page; the code of the cashier, or empty.
    std::string open_page() {
        const auto begun = alipay->begin(order);
        EXPECT_TRUE(begun);
        const response r = send("GET", begun->redirect.substr(begun->redirect.find('/', 8)));
        EXPECT_EQ(r.status, 302) << r.body;
        return std::string(header_of(r.headers, "Location"));
    }
    std::string order_code() {
        const auto begun = wechat->begin(order);
        EXPECT_TRUE(begun);
        return begun ? begun->code_url : "";
    }
    void trouble(const std::string& verb, const std::string& kind, bool after_work = true) {
        set(R"({"troubles":[{"verb":")" + verb + R"(","kind":")" + kind + R"(","after_work":)" +
            (after_work ? "true" : "false") + "}]}");
    }
    // What the shop makes of the messages that were sent to it. It forgets them then.
    std::vector<std::string> heard() {
        std::vector<std::string> all;
        for (const auto& m : shop.messages) {
            const bool is_alipay = m.url == alipay_notify_url;
            const auto header = [&](const char* name) { return header_of(m.headers, name); };
            const pay::message said = (is_alipay ? *alipay : *wechat)
                                          .read({.content_type = header("Content-Type"),
                                                 .body = m.body,
                                                 .timestamp = header("Wechatpay-Timestamp"),
                                                 .nonce = header("Wechatpay-Nonce"),
                                                 .signature = header("Wechatpay-Signature"),
                                                 .serial = header("Wechatpay-Serial")},
                                                now);
            if (said.fault.empty()) {
                EXPECT_EQ(said.order, order.no);
                EXPECT_EQ(said.amount, order.amount);
                EXPECT_NE(said.channel_no, "");
            }
            all.push_back(said.fault.empty() ? to_text(said.says) : said.fault);
        }
        shop.messages.clear();
        return all;
    }
    // The shop answers with what the channel says.
    void shop_answers(const pay::channel& c, bool taken) {
        const pay::message_answer a = c.answer(taken);
        shop.answer = {static_cast<int>(a.status), a.body};
    }

    sale::order order = pay::order_made_at(now);
    pay::key_directory keys;
    fixture_clock clock{now};
    sandbox_caller net{
        [this](const std::string& verb, const std::string& target, const std::string& body,
               header_list headers) { return send(verb, target, body, std::move(headers)); }};
    const std::unique_ptr<pay::channel> alipay = pay::open_alipay(alipay_settings(), net, clock);
    const std::unique_ptr<pay::channel> wechat = pay::open_wechat(wechat_settings(), net, clock);
};

// The same for either channel.
class EitherChannelTest : public MerchantTest, public testing::WithParamInterface<const char*> {
protected:
    bool is_alipay() const { return GetParam() == std::string_view("alipay"); }
    pay::channel& channel() { return is_alipay() ? *alipay : *wechat; }
    std::string verb(const char* alipay_name, const char* wechat_name) const {
        return is_alipay() ? alipay_name : wechat_name;
    }
    void begin() {
        is_alipay() ? open_page() : order_code();
        shop_answers(channel(), true);
    }
};

}  // namespace floodgate::sandbox
