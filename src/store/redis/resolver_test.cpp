#include "store/redis/resolver.hpp"

#include <gtest/gtest.h>

#include <netinet/in.h>

namespace floodgate::store {
namespace {

bool known_soon(const resolver& name) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!name.known() && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return name.known();
}

TEST(Resolver, KnowsANumberAtOnce) {
    resolver four("127.0.0.1:6379"), six("[::1]:6379");
    EXPECT_TRUE(four.known());
    const auto to = four.next();
    ASSERT_TRUE(to);
    EXPECT_EQ(reinterpret_cast<const sockaddr_in&>(to->where).sin_port, htons(6379));
    four.ask();
    EXPECT_TRUE(four.known()) << "there is nothing to ask for";
    ASSERT_TRUE(six.next());
    EXPECT_EQ(six.next()->where.ss_family, AF_INET6);
}

TEST(Resolver, FindsANameAndAllItsAddressesInTurn) {
    resolver name("localhost:6379");
    EXPECT_FALSE(name.next()) << "it was not asked for yet";
    name.ask();
    ASSERT_TRUE(known_soon(name));
    const std::size_t addresses = resolve({"localhost", 6379}).size();
    ASSERT_GT(addresses, 0U);
    const auto first = name.next();
    for (std::size_t i = 1; i < addresses; ++i) EXPECT_TRUE(name.next());
    EXPECT_EQ(name.next()->where.ss_family, first->where.ss_family) << "and from the start again";
    name.ask();
    EXPECT_TRUE(known_soon(name));
}

TEST(Resolver, FindsNothingForANameThatIsNone) {
    resolver name("no-such-host.invalid:6379"), nonsense("nonsense");
    name.ask();
    nonsense.ask();
    EXPECT_TRUE(known_soon(name));
    EXPECT_FALSE(name.next());
    EXPECT_FALSE(nonsense.next());
}

TEST(Resolver, MayEndWhileItAsks) {
    resolver name("localhost:6379");
    name.ask();
}

}  // namespace
}  // namespace floodgate::store
