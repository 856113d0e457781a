#include "http/client_counts.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace floodgate::http {
namespace {

TEST(ClientCounts, TakeSoManyOfOneAddressAndNoMore) {
    client_counts counts({.clients_max = 100, .per_address_max = 2}, [] { return 0; });
    EXPECT_TRUE(counts.add(7));
    EXPECT_TRUE(counts.add(7));
    EXPECT_FALSE(counts.add(7));
    EXPECT_TRUE(counts.add(8)) << "another address";
    counts.remove(7);
    EXPECT_TRUE(counts.add(7));
}

TEST(ClientCounts, AreOfConnectionsAndSocketsTogether) {
    std::size_t sockets = 0;
    client_counts counts({.clients_max = 3, .per_address_max = 9}, [&] { return sockets; });
    EXPECT_TRUE(counts.add(7));
    counts.add();
    sockets = 1;
    EXPECT_FALSE(counts.too_many());
    sockets = 2;
    EXPECT_TRUE(counts.too_many());
    counts.remove();
    EXPECT_FALSE(counts.too_many());
    counts.remove(7);
    EXPECT_FALSE(counts.too_many());
    sockets = 4;
    EXPECT_TRUE(counts.too_many());
}

TEST(ClientCounts, AgreeAfterManyThreadsHaveComeAndGone) {
    client_counts counts({.clients_max = 1'000'000, .per_address_max = 3}, [] { return 0; });
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (std::uint64_t n = 0; n < 2000; ++n)
                if (counts.add(n % 5)) counts.remove(n % 5);
        });
    for (auto& t : threads) t.join();
    for (std::uint64_t address = 0; address < 5; ++address) {
        for (int i = 0; i < 3; ++i) EXPECT_TRUE(counts.add(address));
        EXPECT_FALSE(counts.add(address));
    }
}

}  // namespace
}  // namespace floodgate::http
