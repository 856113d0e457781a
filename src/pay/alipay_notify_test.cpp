#include "pay/alipay_notify.hpp"

#include <gtest/gtest.h>

#include "pay/alipay_text.hpp"
#include "pay/form.hpp"
#include "pay/test_data.hpp"

namespace floodgate::pay {
namespace {

class AlipayNotifyTest : public testing::Test {
protected:
    static constexpr const char* form_type = "application/x-www-form-urlencoded; charset=utf-8";

    static std::string body(parameters fields, const std::string& by = "platform") {
        sign_alipay_message(fields, test_private_key(by));
        return encode_form(fields);
    }
    message read(const std::string& body, const char* type = form_type) const {
        return read_alipay_notify({.content_type = type, .body = body}, {app, seller, platform});
    }
    std::string fault_with(const char* name, const std::string& value) const {
        parameters changed = genuine;
        changed[name] = value;
        return read(body(changed)).fault;
    }

    const std::string app = "2021000000000001", seller = "2088000000000001";
    const public_key platform = test_public_key("platform");
    const parameters genuine{{"notify_type", "trade_status_sync"},
                             {"app_id", app},
                             {"seller_id", seller},
                             {"out_trade_no", "382100000000000123"},
                             {"trade_no", "2026111722001400000001"},
                             {"trade_status", "TRADE_SUCCESS"},
                             {"total_amount", "99.00"},
                             {"subject", "Order 100% + 1"},
                             {"fund_bill_list", R"([{"amount":"99.00"}])"}};
};

TEST_F(AlipayNotifyTest, TellsOfAPayment) {
    const message m = read(body(genuine));
    EXPECT_EQ(m.fault, "");
    EXPECT_EQ(m.order.value, 382'100'000'000'000'123U);
    EXPECT_EQ(m.says, trade::paid);
    EXPECT_EQ(m.amount.value, 9900);
    EXPECT_EQ(m.channel_no, "2026111722001400000001");
}

TEST_F(AlipayNotifyTest, TableOfStates) {
    const auto says = [&](const char* status) {
        parameters changed = genuine;
        changed["trade_status"] = status;
        return read(body(changed)).says;
    };
    EXPECT_EQ(says("TRADE_SUCCESS"), trade::paid);
    EXPECT_EQ(says("TRADE_FINISHED"), trade::paid);
    EXPECT_EQ(says("TRADE_CLOSED"), trade::closed);
    EXPECT_EQ(says("WAIT_BUYER_PAY"), trade::open);
    EXPECT_EQ(says("TRADE_PENDING"), trade::unsure);
    EXPECT_EQ(fault_with("trade_status", "TRADE_PENDING"), "unknown_status");
    EXPECT_EQ(fault_with("trade_status", ""), "unknown_status");
}

TEST_F(AlipayNotifyTest, TellsOfRefundsBesideTheStateOfTheTrade) {
    parameters about = genuine;
    about["refund_fee"] = "9.00";
    about["out_biz_no"] = "NR1";
    const message part = read(body(about));
    EXPECT_EQ(part.fault, "");
    EXPECT_EQ(part.says, trade::paid);
    EXPECT_EQ(part.refund.value().number, "NR1");
    EXPECT_EQ(part.refund.value().amount.value, 900);
    EXPECT_TRUE(part.refund.value().is_sum);
    EXPECT_EQ(part.refund.value().says, refund_answer::done);
    about["trade_status"] = "TRADE_CLOSED";
    EXPECT_EQ(read(body(about)).says, trade::closed);
    EXPECT_TRUE(read(body(about)).refund);

    EXPECT_FALSE(read(body(genuine)).refund);
    for (const auto& [name, value] : {std::pair("refund_fee", "0.00"), std::pair("refund_fee", ""),
                                      std::pair("out_biz_no", "")}) {
        parameters without = about;
        without[name] = value;
        EXPECT_FALSE(read(body(without)).refund) << name << "=" << value;
        EXPECT_EQ(read(body(without)).says, trade::closed);
    }
}

TEST_F(AlipayNotifyTest, WhatIsNotForUsIsRefusedByName) {
    EXPECT_EQ(fault_with("app_id", "2021000000000002"), "other_app");
    EXPECT_EQ(fault_with("app_id", ""), "other_app");
    EXPECT_EQ(fault_with("notify_type", "dut_user_sign"), "other_kind");
    EXPECT_EQ(fault_with("out_trade_no", "A1"), "other_order");
    EXPECT_EQ(fault_with("out_trade_no", "0382100000000000123"), "other_order");
    EXPECT_EQ(fault_with("total_amount", "99.001"), "bad_amount");
    EXPECT_EQ(fault_with("total_amount", ""), "bad_amount");
    EXPECT_EQ(fault_with("seller_id", "2088000000000002"), "other_seller");
    EXPECT_EQ(fault_with("seller_id", ""), "other_seller");
    EXPECT_EQ(fault_with("total_amount", "98.00"), "") << "the shop knows the amount";
}

// Anyone who was sent back has these parameters, and can post them.
TEST_F(AlipayNotifyTest, WhatABuyerIsSentBackWithIsNoNotify) {
    parameters way_back{{"app_id", app},
                        {"auth_app_id", app},
                        {"charset", "utf-8"},
                        {"method", "alipay.trade.page.pay.return"},
                        {"out_trade_no", "382100000000000123"},
                        {"seller_id", seller},
                        {"timestamp", "2026-11-17 12:00:00"},
                        {"total_amount", "99.00"},
                        {"trade_no", "2026111722001400000001"},
                        {"version", "1.0"}};
    const message m = read(body(way_back));
    EXPECT_EQ(m.fault, "not_a_notify");
    EXPECT_EQ(m.says, trade::unsure);
    EXPECT_EQ(m.order.value, 382'100'000'000'000'123U) << "the buyer is shown this order";
    way_back["trade_status"] = "TRADE_SUCCESS";
    EXPECT_EQ(read(body(way_back)).fault, "not_a_notify") << "a state alone makes no notify";
    EXPECT_EQ(fault_with("notify_type", ""), "not_a_notify");
}

TEST_F(AlipayNotifyTest, AFaultyMessageSaysNothingAboutTheTrade) {
    parameters changed = genuine;
    changed["seller_id"] = "2088000000000002";
    const message m = read(body(changed));
    EXPECT_EQ(m.says, trade::unsure);
    EXPECT_EQ(m.order.value, 382'100'000'000'000'123U) << "for the journal";
}

TEST_F(AlipayNotifyTest, WhatAlipayDidNotSignIsRefused) {
    EXPECT_EQ(read(body(genuine, "other")).fault, "bad_signature");
    EXPECT_EQ(read(body(genuine, "merchant")).fault, "bad_signature");
    EXPECT_EQ(read(encode_form(genuine)).fault, "without_signature");
    EXPECT_EQ(read(body(genuine) + "&added=1").fault, "bad_signature");
    std::string flipped = body(genuine);
    flipped[flipped.find("sign=") + 10] ^= 1;
    EXPECT_EQ(read(flipped).fault, "bad_signature");
    parameters sha1 = decode_form(body(genuine)).fields;
    sha1["sign_type"] = "RSA";
    EXPECT_EQ(read(encode_form(sha1)).fault, "wrong_algorithm");
}

TEST_F(AlipayNotifyTest, WhatIsNoFormIsRefused) {
    const std::string good = body(genuine);
    EXPECT_EQ(read(good, "application/json").fault, "wrong_content_type");
    EXPECT_EQ(read(good, "").fault, "wrong_content_type");
    EXPECT_EQ(read(good, "Application/X-WWW-Form-Urlencoded").fault, "");
    EXPECT_EQ(read(good + "&app_id=1").fault, "repeated_name");
    EXPECT_EQ(read(good + "&a=%zz").fault, "bad_escape");
    EXPECT_EQ(read(std::string(65'537, 'a')).fault, "too_long");
    EXPECT_EQ(read(good.substr(0, good.size() / 2)).fault.empty(), false);
    EXPECT_EQ(read("").fault, "without_signature");
}

}  // namespace
}  // namespace floodgate::pay
