// Against a real RabbitMQ, when FLOODGATE_TEST_RABBITMQ says where one is.

#include "store/rabbit/rabbit.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <stdexcept>
#include <thread>

#include "base/endpoint.hpp"
#include "base/eventually.hpp"

namespace floodgate::store {
namespace {

using namespace std::chrono_literals;

std::string some_name() {
    std::random_device seed;
    return "test" + std::to_string((std::uint64_t{seed()} << 32U) | seed());
}

class RabbitTest : public testing::Test {
protected:
    void SetUp() override {
        const char* where = std::getenv("FLOODGATE_TEST_RABBITMQ");
        if (where == nullptr) GTEST_SKIP() << "FLOODGATE_TEST_RABBITMQ is not set";
        options_.addresses = {where};
        line_ = std::make_unique<rabbit>(options_);
        ASSERT_TRUE(line_->open());
        ASSERT_TRUE(line_->declare_queue(queue_, {{"x-queue-type", "quorum"}}));
    }
    void TearDown() override {
        if (line_ && line_->open()) (void)line_->delete_queue(queue_);
    }

    rabbit_message message(std::string body) const {
        return {.routing_key = queue_, .headers = {{"n", 7}}, .body = std::move(body)};
    }
    std::vector<std::string> take_some(std::size_t count) {
        std::vector<std::string> bodies;
        for (int tries = 0; tries < 100 && bodies.size() < count; ++tries) {
            auto got = line_->take(100ms);
            if (!got) break;
            for (rabbit_delivery& d : *got) {
                bodies.push_back(std::move(d.body));
                last_ = d.tag;
            }
        }
        return bodies;
    }

    rabbit_options options_;
    const std::string queue_ = some_name();
    std::unique_ptr<rabbit> line_;
    std::uint64_t last_ = 0;
};

using bodies = std::vector<std::string>;

TEST_F(RabbitTest, DeliversWhatWasConfirmedInOrderWithItsHeaders) {
    const std::vector<rabbit_message> three{message("a"), message("b"),
                                            message(std::string(300'000, 'c'))};
    ASSERT_TRUE(line_->publish(three));
    ASSERT_TRUE(line_->consume(queue_, 10));
    EXPECT_EQ(take_some(3), (bodies{"a", "b", std::string(300'000, 'c')}));
}

TEST_F(RabbitTest, HeadersAreReadBack) {
    const std::vector<rabbit_message> one{message("a")};
    ASSERT_TRUE(line_->publish(one));
    const auto got = line_->get(queue_);
    ASSERT_TRUE(got && *got);
    EXPECT_EQ((*got)->header("n"), 7);
    EXPECT_FALSE((*got)->header("m"));
    const auto none = line_->get(queue_);
    ASSERT_TRUE(none);
    EXPECT_FALSE(*none);
}

TEST_F(RabbitTest, AMessageThatNoQueueTakesIsAnError) {
    const std::vector<rabbit_message> lost{{.routing_key = some_name(), .body = "a"}};
    const auto sent = line_->publish(lost);
    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error(), errc::rejected);
    const std::vector<rabbit_message> good{message("b")};
    EXPECT_FALSE(line_->publish(good)) << "not before open()";
    ASSERT_TRUE(line_->open());
    EXPECT_TRUE(line_->publish(good)) << "the next one must go through";
}

TEST_F(RabbitTest, WhatWasNotAcknowledgedComesAgainAndWhatWasDoesNot) {
    const std::vector<rabbit_message> three{message("a"), message("b"), message("c")};
    ASSERT_TRUE(line_->publish(three));
    ASSERT_TRUE(line_->consume(queue_, 10));
    ASSERT_EQ(take_some(3).size(), 3U);
    ASSERT_TRUE(line_->ack(last_ - 1, true));
    line_->close();
    ASSERT_TRUE(line_->open());
    ASSERT_TRUE(line_->consume(queue_, 10));
    EXPECT_EQ(take_some(1), bodies{"c"});
}

TEST_F(RabbitTest, PrefetchLimitsWhatComesUnacknowledged) {
    const std::vector<rabbit_message> three{message("a"), message("b"), message("c")};
    ASSERT_TRUE(line_->publish(three));
    ASSERT_TRUE(line_->consume(queue_, 2));
    ASSERT_EQ(take_some(2).size(), 2U);
    const auto more = line_->take(200ms);
    ASSERT_TRUE(more);
    EXPECT_TRUE(more->empty());
    ASSERT_TRUE(line_->ack(last_, true));
    EXPECT_EQ(take_some(1), bodies{"c"});
}

TEST_F(RabbitTest, AQueueThatGoesWithItsConnectionIsALock) {
    const std::string lock = some_name();
    rabbit other(options_);
    ASSERT_TRUE(other.open());
    ASSERT_TRUE(line_->declare_queue(lock, {}, queue_life::with_connection));
    const auto second = other.declare_queue(lock, {}, queue_life::with_connection);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error(), errc::conflict);
    line_->close();
    EXPECT_TRUE(eventually([&] {
        return other.open() && other.declare_queue(lock, {}, queue_life::with_connection);
    }));
}

TEST_F(RabbitTest, WakeAndInterruptEndAWait) {
    ASSERT_TRUE(line_->consume(queue_, 2));
    const auto began = std::chrono::steady_clock::now();
    // Before the wait begins or after, it must end.
    std::thread other([&] { line_->wake(); });
    const auto woken = line_->take(60s);
    other.join();
    ASSERT_TRUE(woken);
    line_->wake();
    const std::vector<rabbit_message> one{message("a")};
    ASSERT_TRUE(line_->publish(one)) << "which must not use the wake up";
    ASSERT_EQ(take_some(1).size(), 1U);
    line_->wake();
    ASSERT_TRUE(line_->publish({}));
    ASSERT_TRUE(line_->take(60s));
    std::thread third([&] { line_->interrupt(); });
    const auto cut = line_->take(60s);
    third.join();
    ASSERT_FALSE(cut);
    EXPECT_EQ(cut.error(), errc::store_unavailable);
    EXPECT_LT(std::chrono::steady_clock::now() - began, 50s);
    EXPECT_FALSE(line_->open());
    line_->resume();
    EXPECT_TRUE(line_->open());
}

TEST_F(RabbitTest, SaysItsVersionOrInOneLineWhatIsWrong) {
    EXPECT_EQ(line_->look().find("3."), 0U);
    rabbit_options wrong = options_;
    wrong.password = "not the word";
    try {
        rabbit(wrong).look();
        FAIL() << "a wrong password was taken";
    } catch (const std::runtime_error& e) {
        EXPECT_NE(std::string(e.what()).find("password is wrong"), std::string::npos) << e.what();
        EXPECT_EQ(std::string(e.what()).find("not the word"), std::string::npos);
    }
}

TEST(Rabbit, SaysWhereNobodyAnswers) {
    const char* address = "127.0.0.1:1";
    rabbit nobody(rabbit_options{.addresses = {address}, .connect_timeout = 200ms});
    try {
        nobody.look();
        FAIL();
    } catch (const std::runtime_error& e) {
        EXPECT_NE(std::string(e.what()).find(address), std::string::npos) << e.what();
    }
    const auto opened = nobody.open();
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error(), errc::store_unavailable);
}

TEST(Rabbit, RefusesAddressesThatAreNone) {
    for (const char* address : {"nonsense", "127.0.0.1:0", ":5"})
        EXPECT_THROW(rabbit(rabbit_options{.addresses = {address}}), endpoint_error) << address;
}

TEST_F(RabbitTest, TheNextAddressIsTriedWhenTheFirstDoesNotAnswer) {
    rabbit_options two = options_;
    two.addresses.insert(two.addresses.begin(), "127.0.0.1:1");
    EXPECT_TRUE(rabbit(two).open());
}

}  // namespace
}  // namespace floodgate::store
