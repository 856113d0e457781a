#include "base/endpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace floodgate {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

struct good {
    std::string_view text, host;
    std::uint16_t port;
};

TEST(Endpoint, IsAHostAndAPort) {
    constexpr good cases[] = {
        {"127.0.0.1:6379", "127.0.0.1", 6379},
        {"localhost:1", "localhost", 1},
        {"db-1.shop.example:65535", "db-1.shop.example", 65535},
        {"[::1]:3306", "::1", 3306},
        {"[2001:db8::7]:80", "2001:db8::7", 80},
        {"[fe80::1%eth0]:80", "fe80::1%eth0", 80},
        {"[::ffff:10.0.0.1]:80", "::ffff:10.0.0.1", 80},
    };
    for (const good& c : cases) {
        const endpoint e = parse_endpoint(c.text);
        EXPECT_EQ(e.host, c.host) << c.text;
        EXPECT_EQ(e.port, c.port) << c.text;
        EXPECT_EQ(e.text(), c.text);
    }
}

struct bad {
    std::string_view text, why;
};

TEST(Endpoint, SaysWhatIsWrong) {
    constexpr std::string_view range = "the port must be a number from 1 to 65535";
    constexpr std::string_view colons =
        "there is more than one colon, and an IPv6 address needs brackets";
    constexpr std::string_view no_host = "this is no name or address of a host";
    const bad cases[] = {
        {"", "the port is missing"},
        {"localhost", "the port is missing"},
        {"localhost:", "the port is missing"},
        {"[::1]", "the port is missing"},
        {"[::1]:", "the port is missing"},
        {":80", "the host is missing"},
        {"[]:80", "the host is missing"},
        {"[::1:80", "the bracket is not closed"},
        {"[::1]80", "a colon must follow the bracket"},
        {"[localhost]:80", "only an IPv6 address stands in brackets"},
        {"[::1[]:80", no_host},
        {"::1", colons},
        {"::1:80", colons},
        {"localhost:80:81", colons},
        {"http://localhost:80", colons},
        {"user@localhost:80", no_host},
        {"/run/socket:80", no_host},
        {"local host:80", no_host},
        {"localhost]:80", no_host},
        {"localhost:0", range},
        {"localhost:65536", range},
        {"localhost:99999999999999999999", range},
        {"localhost:-1", range},
        {"localhost:+1", range},
        {"localhost:http", range},
        {"localhost:80x", range},
        {"localhost: 80", range},
        {"localhost:80 ", range},
    };
    for (const bad& c : cases) {
        try {
            (void)parse_endpoint(c.text);
            ADD_FAILURE() << "taken: " << c.text;
        } catch (const endpoint_error& e) {
            EXPECT_THAT(e.what(), HasSubstr("'" + std::string(c.text) + "' is not HOST:PORT"));
            EXPECT_THAT(e.what(), EndsWith(std::string(": ").append(c.why))) << c.text;
        }
    }
}

TEST(Endpoint, PortZeroIsForThoseThatListen) {
    EXPECT_EQ(parse_endpoint("127.0.0.1:0", 0), (endpoint{"127.0.0.1", 0}));
    EXPECT_THROW((void)parse_endpoint("127.0.0.1:0"), endpoint_error);
}

TEST(Endpoint, FromAServerMayLackBrackets) {
    EXPECT_EQ(endpoint_from_server("10.0.0.1:7000"), (endpoint{"10.0.0.1", 7000}));
    EXPECT_EQ(endpoint_from_server("::1:7000"), (endpoint{"::1", 7000}));
    EXPECT_EQ(endpoint_from_server("[::1]:7000"), (endpoint{"::1", 7000}));
    EXPECT_EQ(endpoint_from_server("redis.example:7000"), (endpoint{"redis.example", 7000}));
    for (const std::string_view nothing :
         {"", ":7000", "host", "host:", "host:0", "host:65536", "?"})
        EXPECT_EQ(endpoint_from_server(nothing), std::nullopt) << nothing;
}

}  // namespace
}  // namespace floodgate
