#include "sandbox/switches.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace floodgate::sandbox {
namespace {

using testing::HasSubstr;

std::string change(switches& s, const char* wanted) {
    return change_switches(s, boost::json::parse(wanted).as_object());
}

TEST(Switches, WhatIsShownCanBeSentBack) {
    switches s;
    ASSERT_EQ(change(s, R"({"notify_delay_ms":5,"notify_copies":2,"notify_never":true,
        "alipay_notify_states":["TRADE_CLOSED"],"wechat_refund_ends_as":"ABNORMAL",
        "troubles":[{"verb":"wechat.refund","kind":"unsigned","calls":3,"after_work":false}]})"),
              "");
    EXPECT_EQ(s.notify_delay, milliseconds(5));
    EXPECT_EQ(s.notify_copies, 2);
    EXPECT_TRUE(s.notify_never);
    switches other;
    EXPECT_EQ(change_switches(other, to_json(s)), "");
    EXPECT_EQ(boost::json::serialize(to_json(other)), boost::json::serialize(to_json(s)));
    EXPECT_THAT(boost::json::serialize(to_json(other)), HasSubstr("\"unsigned\""));
}

TEST(Switches, AFaultChangesNothing) {
    const char* const faults[] = {R"({"notify_copies":2,"nonsense":1})",
                                  R"({"notify_copies":6})",
                                  R"({"notify_copies":0})",
                                  R"({"notify_copies":"2"})",
                                  R"({"notify_delay_ms":86400001})",
                                  R"({"notify_delay_ms":-1})",
                                  R"({"notify_never":1})",
                                  R"({"retry_divisor":0})",
                                  R"({"alipay_notify_states":["WAIT_BUYER_PAY"]})",
                                  R"({"alipay_notify_states":"TRADE_CLOSED"})",
                                  R"({"wechat_refund_ends_as":"PROCESSING"})",
                                  R"({"wechat_close_refusal":"OTHER"})",
                                  R"({"alipay_close_refusal":1})",
                                  R"({"troubles":[{"verb":"wechat.pay","kind":"http_500"}]})",
                                  R"({"troubles":[{"kind":"http_500"}]})",
                                  R"({"troubles":[{"verb":"wechat.refund","kind":"fire"}]})",
                                  R"({"troubles":[{"verb":"wechat.refund","calls":1001}]})",
                                  R"({"troubles":[{"verb":"wechat.refund","after":true}]})",
                                  R"({"troubles":[{"verb":"wechat.refund","delay_ms":60001}]})",
                                  R"({"troubles":[7]})"};
    const std::string before = boost::json::serialize(to_json({}));
    for (const char* const wanted : faults) {
        switches s;
        EXPECT_NE(change(s, wanted), "") << wanted;
        EXPECT_EQ(boost::json::serialize(to_json(s)), before) << wanted;
    }
}

TEST(Switches, TheListOfTroublesIsBounded) {
    boost::json::array many;
    for (std::size_t i = 0; i <= troubles_max; ++i)
        many.push_back(boost::json::object{{"verb", "wechat.refund"}});
    switches s;
    EXPECT_THAT(change_switches(s, {{"troubles", many}}), HasSubstr("up to 32"));
    many.erase(many.begin());
    EXPECT_EQ(change_switches(s, {{"troubles", many}}), "");
}

TEST(Switches, TroubleIsUsedUpByItsVerb) {
    switches s;
    ASSERT_EQ(change(s, R"({"troubles":[{"verb":"wechat.refund","kind":"rubbish","calls":2}]})"),
              "");
    EXPECT_EQ(s.take_trouble("wechat.query"), std::nullopt);
    for (int i = 0; i < 2; ++i) {
        const auto taken = s.take_trouble("wechat.refund");
        ASSERT_TRUE(taken);
        EXPECT_EQ(taken->kind, trouble_kind::rubbish);
    }
    EXPECT_FALSE(s.take_trouble("wechat.refund"));
}

}  // namespace
}  // namespace floodgate::sandbox
