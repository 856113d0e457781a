// The contract of the leases, with one node: over one Redis server and over a Redis Cluster.

#include <gtest/gtest.h>

#include "cluster/lease_fixture.hpp"

namespace floodgate::cluster {
namespace {

enum class kind : std::uint8_t { redis = 1, redis_cluster };

class LeaseTest : public testing::TestWithParam<kind> {
protected:
    void SetUp() override {
        const bool cluster = GetParam() == kind::redis_cluster;
        FLOODGATE_NEED_REDIS(cluster);
        redis_ = std::make_unique<store::redis>(store::shared_redis(cluster));
        leases_ = std::make_unique<redis_leases>(*redis_, quick(store::random_name()));
    }

    numbers numbers_;
    diary diary_;
    std::unique_ptr<store::redis> redis_;
    std::unique_ptr<leases> leases_;
};

TEST_P(LeaseTest, IsNotHeldBeforeStart) {
    leases_->seek(diary_.make("timed_jobs", numbers_), "");
    EXPECT_FALSE(leases_->holds("timed_jobs"));
    leases_->stop();
    EXPECT_EQ(diary_.gains(), 0);
}

TEST_P(LeaseTest, IsGainedWithANumberAndHeld) {
    leases_->seek(diary_.make("timed_jobs", numbers_), "");
    leases_->seek(diary_.make("line 0", numbers_), "lines");
    leases_->seek(diary_.make("line 1", numbers_), "lines");
    leases_->start();
    ASSERT_TRUE(eventually([&] { return diary_.count() == 3; }));
    EXPECT_TRUE(leases_->holds("timed_jobs"));
    EXPECT_TRUE(leases_->holds("line 1"));
    EXPECT_FALSE(leases_->holds("line 2"));
    EXPECT_EQ(diary_.number_of("timed_jobs"), 1U);
    EXPECT_EQ(leases_->nodes_alive().size(), 1U);
}

TEST_P(LeaseTest, IsLostOnceWhenStopped) {
    leases_->seek(diary_.make("timed_jobs", numbers_), "");
    leases_->start();
    ASSERT_TRUE(eventually([&] { return diary_.works_on("timed_jobs"); }));
    leases_->stop();
    EXPECT_FALSE(leases_->holds("timed_jobs"));
    EXPECT_EQ(diary_.losses(), 1);
    leases_->stop();
    EXPECT_EQ(diary_.losses(), 1);
}

TEST_P(LeaseTest, IsLostWithItsHolder) {
    leases_->seek(diary_.make("timed_jobs", numbers_), "");
    leases_->start();
    ASSERT_TRUE(eventually([&] { return diary_.works_on("timed_jobs"); }));
    leases_.reset();
    EXPECT_FALSE(diary_.works_on("timed_jobs"));
}

std::string name_of(const testing::TestParamInfo<kind>& info) {
    switch (info.param) {
    case kind::redis: return "Redis";
    case kind::redis_cluster: return "RedisCluster";
    }
    return "";
}
INSTANTIATE_TEST_SUITE_P(Leases, LeaseTest, testing::Values(kind::redis, kind::redis_cluster),
                         name_of);

}  // namespace
}  // namespace floodgate::cluster
