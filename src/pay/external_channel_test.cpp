#include "pay/external_channel.hpp"

#include <boost/json/parse.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "pay/channel_fixture.hpp"
#include "pay/key_file.hpp"
#include "store/http/message_signature.hpp"
#include "store/http/tiny_http_server.hpp"

namespace floodgate::pay {
namespace {

using namespace std::chrono_literals;
using store::tiny_http_server;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* channel_secret = "an-external-secret-of-32-letters";

class ExternalChannelTest : public testing::Test {
protected:
    trade query_answered(int status, const std::string& body) {
        net.will_answer(answer_of(status, body));
        return channel->query(order);
    }
    trade close_answered(const std::string& word) {
        net.will_answer(answer_of(200, said(word)));
        return channel->close(order);
    }
    refund_answer refund_answered(int status, const std::string& body) {
        net.will_answer(answer_of(status, body));
        return channel->refund(order, refund);
    }
    static std::string said(const std::string& word) { return R"({"status":")" + word + R"("})"; }
    boost::json::object asked() const {
        return boost::json::parse(net.asked.back().body).as_object();
    }
    std::string fault_of_settings() {
        try {
            open_external(files, net, clock);
        } catch (const key_error& e) {
            return e.what();
        } catch (const std::invalid_argument& e) {
            return e.what();
        }
        return "";
    }

    manual_clock clock{from_ms(1'800'000'000'000)};
    key_directory keys;
    scripted_caller net;
    external_files files = keys.external();
    std::unique_ptr<pay::channel> channel = open_external(files, net, clock);
    sale::order order = order_made_at(clock.now());
    refund_request refund = whole_refund(order, trade_number(order) + "R1");
};

// printf 'order_no=...&amount_fen=...&expires_at=...' | openssl dgst -sha256 -hmac CHANNEL_SECRET
TEST_F(ExternalChannelTest, TheBuyerGetsASignedAddressAndTheShopIsNotAsked) {
    const auto begun = channel->begin(order).value();
    EXPECT_EQ(begun.redirect,
              "http://127.0.0.1:1/cashier?"
              "order_no=382100000000000123&amount_fen=9900&expires_at=1800000900&signature="
              "d8ff89382c39d66f5135b23fdd1ed0d714173ed3dbdccbf274d3332be26fd636");
    EXPECT_FALSE(begun.paid);
    EXPECT_EQ(begun.form + begun.code_url, "");
    clock.advance(10min);
    EXPECT_EQ(channel->begin(order).value().redirect, begun.redirect) << "asked again";
    EXPECT_THAT(net.asked, IsEmpty());
    order.amount = sale::fen{0};
    EXPECT_EQ(channel->begin(order).error(), errc::invalid);
    EXPECT_EQ(channel->refuses(order).value(), refusal::no_price);
}

TEST_F(ExternalChannelTest, QuestionsAreSigned) {
    EXPECT_EQ(query_answered(200, said("open")), trade::open);
    ASSERT_THAT(net.asked, SizeIs(1));
    const store::http_question& q = net.asked[0];
    EXPECT_EQ(q.verb, "POST");
    EXPECT_EQ(q.url, "http://127.0.0.1:1/webhook?from=floodgate");
    EXPECT_EQ(q.body, R"({"event":"query","order_no":"382100000000000123","amount_fen":9900,)"
                      R"("sent_at":"2027-01-15T08:00:00.000Z"})");
    const auto header = [&](const std::string& name) {
        for (const auto& [key, value] : q.headers)
            if (key == name) return value;
        return std::string();
    };
    EXPECT_EQ(header("Content-Type"), "application/json");
    EXPECT_EQ(header("Floodgate-Timestamp"), "1800000000");
    EXPECT_EQ(header("Floodgate-Signature"),
              store::message_signature(channel_secret, "1800000000", q.body));
    for (const auto& [key, value] : q.headers)
        EXPECT_EQ(value.find(channel_secret), std::string::npos);
}

TEST_F(ExternalChannelTest, TheShopsWordDecides) {
    EXPECT_EQ(query_answered(200, said("open")), trade::open);
    EXPECT_EQ(query_answered(200, said("paid")), trade::paid);
    EXPECT_EQ(query_answered(200, said("closed")), trade::closed);
    EXPECT_EQ(asked().at("event"), "query");
    EXPECT_EQ(close_answered("open"), trade::open);
    EXPECT_EQ(close_answered("paid"), trade::paid);
    EXPECT_EQ(close_answered("closed"), trade::closed);
    EXPECT_EQ(asked().at("event"), "close");
    EXPECT_EQ(query_answered(200, R"({"note":"more is allowed","status":"paid"})"), trade::paid);
}

TEST_F(ExternalChannelTest, AnAbsentTradeMayStillBeginUntilTheAddressHasExpired) {
    EXPECT_EQ(query_answered(200, said("absent")), trade::open);
    EXPECT_EQ(close_answered("absent"), trade::open);
    clock.set(order.pay_by + absence_margin + 1ms);
    EXPECT_EQ(query_answered(200, said("absent")), trade::absent);
    EXPECT_EQ(close_answered("absent"), trade::absent);
}

TEST_F(ExternalChannelTest, AnyOtherAnswerIsUnsure) {
    const std::string spaces(external_answer_bytes_max - said("paid").size(), ' ');
    EXPECT_EQ(query_answered(200, said("paid") + spaces), trade::paid) << "just short enough";
    EXPECT_EQ(query_answered(200, said("paid") + spaces + " "), trade::unsure);
    for (const char* body :
         {"", "paid", "{", "null", "[]", "{}", R"({"status":null})", R"({"status":["paid"]})",
          R"({"status":"PAID"})", R"({"status":"refunded"})", R"({"status":"unsure"})"})
        EXPECT_EQ(query_answered(200, body), trade::unsure) << body;
    for (const int status : {201, 202, 204, 301, 302, 400, 401, 404, 409, 429, 500, 503})
        EXPECT_EQ(query_answered(status, said("paid")), trade::unsure) << status;
    EXPECT_EQ(channel->query(order), trade::unsure) << "a time-out";
    EXPECT_EQ(channel->close(order), trade::unsure);
}

TEST_F(ExternalChannelTest, ARefundNamesItsNumberAndItsOwnAmount) {
    refund.amount = sale::fen{2500};
    refund.reason = "broken";
    EXPECT_EQ(refund_answered(200, said("refunded")), refund_answer::done);
    EXPECT_EQ(net.asked.back().body,
              R"({"event":"refund","order_no":"382100000000000123","amount_fen":2500,)"
              R"("sent_at":"2027-01-15T08:00:00.000Z","refund_no":"382100000000000123R1",)"
              R"("reason":"broken"})");
    refund.reason = std::string(1000, 'x');
    EXPECT_EQ(refund_answered(200, said("refunded")), refund_answer::done) << "asked again";
    EXPECT_THAT(asked().at("reason").as_string(), SizeIs(200));
}

TEST_F(ExternalChannelTest, ARefundIsDoneOnlyWhenTheShopSaysSo) {
    EXPECT_EQ(refund_answered(200, said("pending")), refund_answer::under_way);
    for (const char* word : {"paid", "closed", "done", ""})
        EXPECT_EQ(refund_answered(200, said(word)), refund_answer::unsure) << word;
    EXPECT_EQ(refund_answered(500, said("refunded")), refund_answer::unsure);
    EXPECT_EQ(refund_answered(200, "rubbish"), refund_answer::unsure);
    EXPECT_EQ(channel->refund(order, refund), refund_answer::unsure) << "a time-out";
    EXPECT_EQ(refund_answered(200, said("refunded")), refund_answer::done);
}

// Over real sockets: the time a slow shop has is that of the caller.
TEST_F(ExternalChannelTest, AShopThatIsSlowOrCutsItsAnswerOffIsUnsure) {
    tiny_http_server shop({tiny_http_server::silence,
                           "HTTP/1.1 200 X\r\nConnection: close\r\nContent-Length: 99\r\n\r\n"
                           R"({"status":"paid"})",
                           tiny_http_server::answer(200, "", said("paid"))});
    store::curl_caller caller({.total = 200ms, .allow_private = true});
    files.webhook_url = shop.url();
    const auto real = open_external(files, caller, clock);
    EXPECT_EQ(real->query(order), trade::unsure) << "slow";
    EXPECT_EQ(real->query(order), trade::unsure) << "cut off";
    EXPECT_EQ(real->query(order), trade::paid);
    EXPECT_EQ(shop.requests().back().header("Floodgate-Timestamp"), "1800000000");
}

TEST_F(ExternalChannelTest, AMessageOfTheShopIsReadWithTheSameSecret) {
    EXPECT_TRUE(channel->sends_messages());
    const std::string body = R"({"order_no":"382100000000000123","amount_fen":9900})";
    const std::string good = store::message_signature(channel_secret, "1800000000", body);
    const raw_message m{.content_type = "application/json",
                        .body = body,
                        .timestamp = "1800000000",
                        .signature = good};
    EXPECT_EQ(channel->read(m, clock.now()).says, trade::paid);
    EXPECT_EQ(channel->read(m, clock.now() + 6min).fault, "stale");
}

TEST_F(ExternalChannelTest, WhileTheSecretIsChangedBothSign) {
    const std::string old(32, 'o');
    files.old_secret_file = keys.write("old.secret", old);
    const auto changing = open_external(files, net, clock);
    const std::string alone = channel->begin(order).value().redirect;
    const std::string query =
        alone.substr(alone.find('?') + 1, alone.find("&signature=") - alone.find('?') - 1);
    EXPECT_EQ(changing->begin(order).value().redirect,
              alone + "," + store::hmac_sha256_hex(old, query));

    net.will_answer(answer_of(200, said("paid")));
    EXPECT_EQ(changing->query(order), trade::paid);
    const auto& headers = net.asked.back().headers;
    EXPECT_EQ(std::ranges::count(headers, "Floodgate-Signature", [](auto& h) { return h.first; }),
              1);
    EXPECT_THAT(headers,
                testing::Contains(testing::Pair(
                    "Floodgate-Signature",
                    store::message_signature(channel_secret, "1800000000", net.asked.back().body) +
                        "," + store::message_signature(old, "1800000000", net.asked.back().body))));

    const std::string body = R"({"order_no":"382100000000000123","amount_fen":9900})";
    for (const std::string& by : {std::string(channel_secret), old}) {
        const std::string signature = store::message_signature(by, "1800000000", body);
        EXPECT_EQ(changing
                      ->read({.content_type = "application/json",
                              .body = body,
                              .timestamp = "1800000000",
                              .signature = signature},
                             clock.now())
                      .says,
                  trade::paid);
    }
}

TEST_F(ExternalChannelTest, WrongSettingsAreNamed) {
    EXPECT_EQ(fault_of_settings(), "");
    files.checkout_url = "http://127.0.0.1:1/cashier?a=1";
    EXPECT_THAT(fault_of_settings(), HasSubstr("pay.external.checkout_url has a query"));
    files.checkout_url = "ftp://shop.example/";
    EXPECT_THAT(fault_of_settings(), HasSubstr("pay.external.checkout_url"));
    files = keys.external();
    files.webhook_url = "";
    EXPECT_THAT(fault_of_settings(), HasSubstr("pay.external.webhook_url is empty"));
    files = keys.external();
    files.secret_file = "";
    EXPECT_THAT(fault_of_settings(), HasSubstr("pay.external.secret_file is empty"));
    files.secret_file = keys.write("short", "too short");
    EXPECT_THAT(fault_of_settings(), HasSubstr("32 to 1024"));
    EXPECT_THAT(fault_of_settings(), HasSubstr("pay.external.secret_file: "));
    files = keys.external();
    files.old_secret_file = keys.write("short", "too short");
    EXPECT_THAT(fault_of_settings(), HasSubstr("pay.external.old_secret_file: "));
    EXPECT_THAT(fault_of_settings(), HasSubstr("32 to 1024"));
    EXPECT_THAT(fault_of_settings(), testing::Not(HasSubstr("too short")));
    files.old_secret_file = "/no/such/file";
    EXPECT_THAT(fault_of_settings(), HasSubstr("pay.external.old_secret_file: "));
    files.old_secret_file = keys.write("same", channel_secret);
    EXPECT_THAT(fault_of_settings(), HasSubstr("pay.external.old_secret_file has the same secret"));
}

}  // namespace
}  // namespace floodgate::pay
