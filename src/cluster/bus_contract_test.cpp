// The contract of the bus, with two nodes: over one Redis server and over a Redis Cluster.

#include <gtest/gtest.h>

#include "cluster/lease_fixture.hpp"
#include "cluster/redis_bus.hpp"

namespace floodgate::cluster {
namespace {

enum class kind : std::uint8_t { redis = 1, redis_cluster };

// What one node heard, in order.
class ears {
public:
    hear listen() {
        return [this](std::string_view topic, std::string_view message) {
            const std::lock_guard lock(mutex_);
            heard_.push_back(std::string(topic) + "=" + std::string(message));
        };
    }
    std::vector<std::string> heard() const {
        const std::lock_guard lock(mutex_);
        return heard_;
    }

private:
    mutable std::mutex mutex_;
    std::vector<std::string> heard_;
};

class BusTest : public testing::TestWithParam<kind> {
protected:
    void SetUp() override {
        const bool cluster = GetParam() == kind::redis_cluster;
        FLOODGATE_NEED_REDIS(cluster);
        redis_ = std::make_unique<store::redis>(store::shared_redis(cluster));
        redis_bus_options options;
        options.name = store::random_name();
        a_ = std::make_unique<redis_bus>(*redis_, options);
        b_ = std::make_unique<redis_bus>(*redis_, options);
    }
    void start() {
        a_->start(at_a_.listen());
        b_->start(at_b_.listen());
        ASSERT_TRUE(eventually([&] { return a_->read_figures().connected; }));
        ASSERT_TRUE(eventually([&] { return b_->read_figures().connected; }));
    }

    ears at_a_, at_b_;
    std::unique_ptr<store::redis> redis_;
    std::unique_ptr<bus> a_, b_;
};

TEST_P(BusTest, CarriesMessagesToTheOthersInOrder) {
    start();
    std::vector<std::string> expected;
    for (int i = 0; i < 1000; ++i) {
        a_->publish("count", std::to_string(i));
        expected.push_back("count=" + std::to_string(i));
    }
    ASSERT_TRUE(eventually([&] { return at_b_.heard().size() == 1000; }));
    EXPECT_EQ(at_b_.heard(), expected);
    EXPECT_TRUE(at_a_.heard().empty()) << "nobody hears themselves";
    EXPECT_TRUE(eventually([&] { return a_->read_figures().published == 1000; }));
    EXPECT_TRUE(eventually([&] { return b_->read_figures().heard == 1000; }));
}

TEST_P(BusTest, CarriesAnyBytesUpToAMebibyte) {
    start();
    const std::string bytes("\0\r\n\xff", 4);
    a_->publish("t", bytes);
    a_->publish("", "");
    a_->publish("large", std::string(bus_message_max, 'x'));
    a_->publish("too large", std::string(bus_message_max + 1, 'x'));
    ASSERT_TRUE(eventually([&] { return at_b_.heard().size() == 3; }));
    EXPECT_EQ(at_b_.heard()[0], "t=" + bytes);
    EXPECT_EQ(at_b_.heard()[1], "=");
    EXPECT_EQ(at_b_.heard()[2].size(), bus_message_max + 6);
    EXPECT_EQ(a_->read_figures().dropped, 1U);
}

TEST_P(BusTest, GoesBothWays) {
    start();
    a_->publish("x", "from a");
    b_->publish("x", "from b");
    EXPECT_TRUE(eventually([&] { return at_a_.heard().size() == 1 && at_b_.heard().size() == 1; }));
    EXPECT_EQ(at_a_.heard().at(0), "x=from b");
}

TEST_P(BusTest, SendsWhatIsWaitingBeforeItStops) {
    start();
    for (int i = 0; i < 100; ++i) a_->publish("x", "last words");
    a_->stop();
    a_->stop();
    a_->publish("x", "after the end");
    EXPECT_TRUE(eventually([&] { return at_b_.heard().size() == 100; }));
    EXPECT_EQ(a_->read_figures().dropped, 1U);
}

TEST_P(BusTest, SaysNothingAfterStop) {
    start();
    b_->stop();
    a_->publish("x", "hello");
    ASSERT_TRUE(eventually([&] { return a_->read_figures().published == 1; }));
    EXPECT_TRUE(at_b_.heard().empty());
}

std::string name_of(const testing::TestParamInfo<kind>& info) {
    switch (info.param) {
    case kind::redis: return "Redis";
    case kind::redis_cluster: return "RedisCluster";
    }
    return "";
}
INSTANTIATE_TEST_SUITE_P(Buses, BusTest, testing::Values(kind::redis, kind::redis_cluster),
                         name_of);

}  // namespace
}  // namespace floodgate::cluster
