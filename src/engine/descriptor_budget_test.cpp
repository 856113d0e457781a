#include "engine/descriptor_budget.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>

namespace floodgate::engine {
namespace {

using testing::HasSubstr;

settings wanting(std::size_t connections, std::size_t sockets) {
    settings s;
    s.server.loops = 2;
    s.server.connections_max = connections;
    s.mailroom.sockets.connections_max = sockets;
    return s;
}

std::string complaint(const settings& s, std::size_t limit) {
    try {
        (void)fit_to_descriptors(s, limit);
    } catch (const std::runtime_error& e) {
        return e.what();
    }
    return "";
}

TEST(DescriptorBudget, SetsAsideWhatTheProcessItselfNeeds) {
    EXPECT_EQ(reserved_descriptors(wanting(10, 10)), 64U + 2 * 8);
    settings node = wanting(10, 10);
    node.mode = run_mode::clustered;
    EXPECT_EQ(reserved_descriptors(node), 64U + 2 * 8 + (16 + 2) + 16 + 6 + 8 * 2);
    node.cluster.redis.cluster = true;
    node.cluster.mariadb.connections_max = 100;
    EXPECT_EQ(reserved_descriptors(node), 64U + 2 * 8 + 6 * (16 + 2) + 100 + 6 + 8 * 2);
}

TEST(DescriptorBudget, LeavesTheSettingsAloneWhenThereIsEnough) {
    const settings s = fit_to_descriptors(wanting(20'000, 20'000), 40'080);
    EXPECT_EQ(s.server.connections_max, 20'000U);
    EXPECT_EQ(s.mailroom.sockets.connections_max, 20'000U);
    EXPECT_EQ(s.server.clients.clients_max, 40'000U);
}

TEST(DescriptorBudget, GivesTheClientsWhatIsLeft) {
    const settings s = fit_to_descriptors(wanting(20'000, 20'000), 1080);
    EXPECT_EQ(s.server.clients.clients_max, 1000U);
    EXPECT_EQ(s.server.connections_max, 1000U);
    EXPECT_EQ(s.mailroom.sockets.connections_max, 750U) << "sockets never make room";
    const settings few = fit_to_descriptors(wanting(20'000, 5), 1080);
    EXPECT_EQ(few.mailroom.sockets.connections_max, 5U);
}

// Regression M1: the cap of one address stayed at 2,000 when there were fewer places than that.
TEST(DescriptorBudget, GivesOneAddressAQuarterOfTheConnectionsAtMost) {
    const auto most = [](settings s, std::size_t limit) {
        return fit_to_descriptors(std::move(s), limit).server.clients.per_address_max;
    };
    EXPECT_EQ(most(wanting(20'000, 20'000), 40'080), 2000U) << "as configured";
    EXPECT_EQ(most(wanting(20'000, 20'000), 1080), 250U) << "of 1,000 that are left";
    EXPECT_EQ(most(wanting(100, 10), 40'080), 25U);
    EXPECT_EQ(most(wanting(20, 10), 40'080), 8U) << "a browser must be able to come in";
    settings s = wanting(20'000, 20'000);
    s.server.clients.per_address_max = 3;
    EXPECT_EQ(most(s, 1080), 3U);
}

TEST(DescriptorBudget, RefusesWhatIsTooLittleForAShop) {
    EXPECT_EQ(complaint(wanting(20'000, 20'000), 144), "");
    const std::string said = complaint(wanting(20'000, 20'000), 143);
    EXPECT_THAT(said, HasSubstr("may have 143 open files, 80 are set aside, 63 are left"));
    EXPECT_THAT(said, HasSubstr("at least 64 are needed (ulimit -n 144)"));
    EXPECT_THAT(complaint(wanting(20'000, 20'000), 50), HasSubstr("0 are left"));
    EXPECT_EQ(complaint(wanting(10, 10), 100), "") << "whoever wants few clients gets them";
    EXPECT_THAT(complaint(wanting(10, 10), 99), HasSubstr("ulimit -n 100"));
}

TEST(DescriptorBudget, RefusesInStrictModeWhatIsLessThanConfigured) {
    settings s = wanting(20'000, 20'000);
    s.cluster.strict = true;
    EXPECT_THAT(complaint(s, 20'000), HasSubstr("ulimit -n 40080"));
    EXPECT_EQ(complaint(s, 40'080), "");
}

TEST(DescriptorBudget, RaisesTheLimitToWhatIsAllowed) {
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit low{.rlim_cur = before.rlim_max / 2, .rlim_max = before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
    EXPECT_EQ(raise_descriptor_limit(), before.rlim_max);
    rlimit after{};
    getrlimit(RLIMIT_NOFILE, &after);
    EXPECT_EQ(after.rlim_cur, before.rlim_max);
    setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace floodgate::engine
