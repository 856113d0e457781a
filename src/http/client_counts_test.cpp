#include "http/client_counts.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace floodgate::http {
namespace {

TEST(ClientCounts, TakeSoManyOfOneAddressAndNoMore) {
    client_counts counts({.clients_max = 100, .per_address_max = 2});
    auto first = counts.add(7), second = counts.add(7);
    EXPECT_TRUE(first && second);
    EXPECT_FALSE(counts.add(7));
    EXPECT_TRUE(counts.add(8)) << "another address";
    first.reset();
    EXPECT_TRUE(counts.add(7));
}

TEST(ClientCounts, AreOfAllClientsTogether) {
    client_counts counts({.clients_max = 2, .per_address_max = 9});
    client_place one = counts.add();
    const auto other = counts.add(7);
    EXPECT_FALSE(counts.too_many());
    {
        const client_place third = counts.add();
        EXPECT_TRUE(counts.too_many());
    }
    EXPECT_FALSE(counts.too_many());
    const auto fourth = counts.add(8);
    EXPECT_TRUE(counts.too_many());
    one.leave();
    EXPECT_FALSE(counts.too_many());
}

TEST(ClientCounts, LoseNoPlaceThatMovesOnAndFreeItOnce) {
    client_counts counts({.clients_max = 100, .per_address_max = 1});
    client_place connection = *counts.add(7);
    client_place socket;
    socket = std::move(connection);
    connection.leave();
    EXPECT_FALSE(counts.add(7)) << "the socket has it";
    socket = client_place();
    EXPECT_TRUE(counts.add(7));
}

TEST(ClientCounts, AgreeAfterManyThreadsHaveComeAndGone) {
    client_counts counts({.clients_max = 1'000'000, .per_address_max = 3});
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (std::uint64_t n = 0; n < 2000; ++n) (void)counts.add(n % 5);
        });
    for (auto& t : threads) t.join();
    for (std::uint64_t address = 0; address < 5; ++address) {
        std::vector<client_place> places;
        for (int i = 0; i < 3; ++i) places.push_back(counts.add(address).value());
        EXPECT_FALSE(counts.add(address));
    }
}

}  // namespace
}  // namespace floodgate::http
