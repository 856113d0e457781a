#include "guard/addresses.hpp"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <stdexcept>

namespace floodgate::guard {
namespace {

ip_address make_address(const char* text) { return parse_address(text).value(); }

std::string to_text(const ip_address& a) {
    std::array<char, INET6_ADDRSTRLEN> out{};
    const bool v4 = a.is_v4();
    inet_ntop(v4 ? AF_INET : AF_INET6, a.bytes.data() + (v4 ? 12 : 0), out.data(), out.size());
    return out.data();
}

trusted_proxies trusting(std::vector<std::string> networks) { return trusted_proxies(networks); }

std::string client(const trusted_proxies& proxies, const char* peer, std::string_view header) {
    return to_text(proxies.client_of(make_address(peer), header).address);
}

// Whether the sender is rate-limited by its address.
bool is_limited(const trusted_proxies& proxies, const char* peer, std::string_view header) {
    return !proxies.client_of(make_address(peer), header).is_proxy;
}

const std::vector<std::string> usual{"127.0.0.0/8", "::1", "10.0.0.0/8", "fd00::/8"};

TEST(TrustedProxies, ContainTheirNetworksAndNothingBeside) {
    const auto proxies = trusting({"10.0.0.0/8", "192.168.4.0/22", "203.0.113.7", "2001:db8::/33"});
    for (const char* in : {"10.0.0.0", "10.255.255.255", "192.168.4.0", "192.168.7.255",
                           "203.0.113.7", "2001:db8::1", "2001:db8:7fff:ffff::", "::ffff:10.1.1.1"})
        EXPECT_TRUE(proxies.is_trusted(make_address(in))) << in;
    for (const char* out : {"9.255.255.255", "11.0.0.0", "192.168.3.255", "192.168.8.0",
                            "203.0.113.6", "2001:db8:8000::", "::a00:1", "::ffff:11.0.0.1"})
        EXPECT_FALSE(proxies.is_trusted(make_address(out))) << out;
}

TEST(TrustedProxies, OfPrefixZeroContainAllOfTheirKind) {
    EXPECT_TRUE(trusting({"0.0.0.0/0"}).is_trusted(make_address("8.8.8.8")));
    EXPECT_FALSE(trusting({"0.0.0.0/0"}).is_trusted(make_address("2001:db8::1")));
    EXPECT_TRUE(trusting({"::/0"}).is_trusted(make_address("2001:db8::1")));
}

TEST(TrustedProxies, AreNobodyUnlessNamed) {
    EXPECT_FALSE(trusted_proxies().is_trusted(make_address("127.0.0.1")));
    EXPECT_EQ(client(trusted_proxies(), "127.0.0.1", "1.2.3.4"), "127.0.0.1");
}

TEST(TrustedProxies, RefuseNonsenseAndNameIt) {
    for (const char* text :
         {"", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8x", "10.0.0.0/ 8",
          "10.0.0.0/+8", "10.0.0.0/8/8", "10.0.0/8", "256.0.0.0/8", "localhost", "::1/129",
          "fe80::1%lo", "10.0.0.1/8", "2001:db8::1/64", " 10.0.0.0/8", "10.0.0.0/4294967304"}) {
        try {
            trusting({"127.0.0.1", text});
            ADD_FAILURE() << text;
        } catch (const std::invalid_argument& e) {
            EXPECT_NE(std::string(e.what()).find("'" + std::string(text) + "'"), std::string::npos)
                << e.what();
        }
    }
    EXPECT_THROW(trusting({std::string("10.0.0.0\0/8", 11)}), std::invalid_argument);
}

TEST(ClientOf, BelievesNoHeaderOfAStranger) {
    EXPECT_EQ(client(trusting(usual), "8.8.8.8", "1.2.3.4"), "8.8.8.8");
}

TEST(ClientOf, IsWhomTheNearestTrustedProxyNames) {
    const auto proxies = trusting(usual);
    EXPECT_EQ(client(proxies, "127.0.0.1", "1.2.3.4"), "1.2.3.4");
    EXPECT_EQ(client(proxies, "::1", "2001:db8::5"), "2001:db8::5");
    EXPECT_EQ(client(proxies, "127.0.0.1", "1.2.3.4, 10.0.0.9,\t10.1.1.1"), "1.2.3.4");
    EXPECT_EQ(client(proxies, "127.0.0.1", ""), "127.0.0.1");
}

TEST(ClientOf, IsNotWhateverTheClientWroteThereItself) {
    const auto proxies = trusting(usual);
    EXPECT_EQ(client(proxies, "127.0.0.1", "6.6.6.6, 1.2.3.4"), "1.2.3.4");
    EXPECT_EQ(client(proxies, "127.0.0.1", "127.0.0.1, 1.2.3.4, 10.0.0.1"), "1.2.3.4");
    EXPECT_EQ(client(proxies, "127.0.0.1", "<script>, 1.2.3.4"), "1.2.3.4");
}

TEST(ClientOf, StaysAtTheLastGoodAddressWhenAnEntryIsMalformed) {
    const auto proxies = trusting(usual);
    for (const char* bad : {"unknown", "", "1.2.3", "1.2.3.4 5", "2001:db8::5%eth0", "0x7f.1",
                            ",,,", "1.2.3.4:", "1.2.3.4:http", "1.2.3.4:123456", "[2001:db8::5]80",
                            "[2001:db8::5]:", "[2001:db8::5", "[1.2.3.4]", "[]", "[", ":80",
                            "garbage:80", "_hidden"}) {
        EXPECT_EQ(client(proxies, "127.0.0.1", std::string("1.2.3.4, ") + bad + ", 10.0.0.9"),
                  "10.0.0.9")
            << bad;
        EXPECT_EQ(client(proxies, "127.0.0.1", bad), "127.0.0.1") << bad;
        EXPECT_TRUE(is_limited(proxies, "127.0.0.1", bad)) << bad;
    }
    EXPECT_EQ(client(proxies, "127.0.0.1", std::string(100'000, 'x')), "127.0.0.1");
    EXPECT_EQ(client(proxies, "127.0.0.1", std::string("1.2.3.4\0.5", 10)), "127.0.0.1");
}

TEST(ClientOf, IsReadWithThePortThatSomeBalancersWrite) {
    const auto proxies = trusting(usual);
    EXPECT_EQ(client(proxies, "127.0.0.1", "1.2.3.4:80"), "1.2.3.4");
    EXPECT_EQ(client(proxies, "127.0.0.1", "[2001:db8::5]:65535"), "2001:db8::5");
    EXPECT_EQ(client(proxies, "127.0.0.1", "[2001:db8::5]"), "2001:db8::5");
    EXPECT_EQ(client(proxies, "127.0.0.1", "6.6.6.6:1, 1.2.3.4:80, 10.0.0.9:1024"), "1.2.3.4");
}

// Regression M9: such a client counted as the proxy, which is exempt from every limit.
TEST(ClientOf, IsLimitedUnlessItIsAProxyOfOursThatSaidSo) {
    const auto proxies = trusting(usual);
    EXPECT_FALSE(is_limited(proxies, "127.0.0.1", "10.0.0.9"));
    EXPECT_TRUE(is_limited(proxies, "127.0.0.1", "1.2.3.4"));
    EXPECT_TRUE(is_limited(proxies, "8.8.8.8", ""));
    EXPECT_TRUE(is_limited(proxies, "8.8.8.8", "10.0.0.9"));
    for (const char* unreadable : {"garbage", "9.9.9.8, unknown", ",", "10.0.0.9, unknown", "", " ",
                                   ", 10.0.0.9", " ,10.0.0.9"})
        EXPECT_TRUE(is_limited(proxies, "127.0.0.1", unreadable)) << unreadable;
}

TEST(ClientOf, IsTheFarthestProxyWhenAllAreTrusted) {
    EXPECT_EQ(client(trusting(usual), "127.0.0.1", "10.0.0.8, 10.0.0.9"), "10.0.0.8");
}

TEST(ClientOf, KnowsIpv4InTheClothesOfIpv6) {
    const auto proxies = trusting(usual);
    EXPECT_EQ(client(proxies, "::ffff:127.0.0.1", "::ffff:1.2.3.4"), "1.2.3.4");
    EXPECT_EQ(client(proxies, "::ffff:8.8.8.8", ""), "8.8.8.8");
}

TEST(IpAddress, IsReadInItsPlainFormOnly) {
    EXPECT_TRUE(make_address("1.2.3.4").is_v4());
    EXPECT_TRUE(make_address("::ffff:1.2.3.4").is_v4());
    EXPECT_FALSE(make_address("::1.2.3.4").is_v4());
    EXPECT_EQ(make_address("::ffff:1.2.3.4"), make_address("1.2.3.4"));
    EXPECT_EQ(make_address("2001:DB8::1"), make_address("2001:db8:0:0:0:0:0:1"));
    for (const std::string_view bad :
         {"", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.4 ", "fe80::1%1", "[::1]", "1.2.3.4:80"})
        EXPECT_FALSE(parse_address(bad)) << bad;
}

TEST(LimiterKey, IsOneForEachIpv4AddressAndEachIpv6Household) {
    const auto key = [](const char* text) { return limiter_key(make_address(text)); };
    EXPECT_NE(key("1.2.3.4"), key("1.2.3.5"));
    EXPECT_EQ(key("1.2.3.4"), key("::ffff:1.2.3.4"));
    EXPECT_EQ(key("2001:db8:1:2::1"), key("2001:db8:1:2:ffff:ffff:ffff:ffff"));
    EXPECT_NE(key("2001:db8:1:2::1"), key("2001:db8:1:3::1"));
    EXPECT_NE(key("0.0.0.0"), key("::"));
}

TEST(PrefixText, IsWhatTheLimiterKnowsAClientBy) {
    EXPECT_EQ(prefix_text(make_address("1.2.3.4")), "1.2.3.4");
    EXPECT_EQ(prefix_text(make_address("::ffff:1.2.3.4")), "1.2.3.4");
    EXPECT_EQ(prefix_text(make_address("2001:db8:1:2:3:4:5:6")), "2001:db8:1:2::/64");
}

}  // namespace
}  // namespace floodgate::guard
