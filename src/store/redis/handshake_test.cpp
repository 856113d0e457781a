#include "store/redis/handshake.hpp"

#include <gtest/gtest.h>

namespace floodgate::store {
namespace {

using kind = redis_reply::kind;

// As it goes out, in one line.
std::string said(const redis_options& options) {
    std::string out;
    for (const words& command : login_commands(options)) command.write_to(out);
    std::erase(out, '\r');
    std::erase(out, '\n');
    return out;
}

TEST(RedisHandshake, SaysOnlyWhatIsNeeded) {
    redis_options options;
    EXPECT_EQ(said(options), "");
    options.database = 3;
    EXPECT_EQ(said(options), "*2$6SELECT$13");
    options.cluster = true;
    EXPECT_EQ(said(options), "") << "a cluster has one database";
    options.password = "secret";
    EXPECT_EQ(said(options), "*2$4AUTH$6secret");
    options.user = "me";
    EXPECT_EQ(said(options), "*3$4AUTH$2me$6secret");
}

TEST(RedisHandshake, AsksForTheRoleWhereOneOfSeveralIsTheMaster) {
    redis_options options;
    EXPECT_EQ(proof_command(options).front(), "PING");
    options.addresses = {"a:1", "b:1"};
    EXPECT_EQ(proof_command(options).front(), "ROLE");
    options.cluster = true;
    EXPECT_EQ(proof_command(options).front(), "PING");
}

TEST(RedisHandshake, KnowsAMaster) {
    const redis_reply master{kind::text, 0, "master", {}}, slave{kind::text, 0, "slave", {}};
    EXPECT_TRUE(is_master({kind::array, 0, {}, {master}}));
    EXPECT_FALSE(is_master({kind::array, 0, {}, {slave}}));
    EXPECT_FALSE(is_master({kind::error, 0, "LOADING", {}}));
}

TEST(RedisHandshake, SaysWhyAServerRefusesUs) {
    const auto failure = [](const char* error) {
        return to_failure("h:1", {kind::error, 0, error, {}});
    };
    using why = redis_failure::kind;
    EXPECT_EQ(failure("LOADING Redis is").what_went_wrong(), why::loading);
    EXPECT_EQ(failure("NOAUTH Authentication").what_went_wrong(), why::refused);
    EXPECT_STREQ(failure("NOAUTH Authentication").what(),
                 "h:1 (Redis) wants a password, and none is configured");
    EXPECT_STREQ(failure("WRONGPASS invalid").what(),
                 "h:1 (Redis): the user or the password is wrong");
    EXPECT_STREQ(failure("ERR called without any password configured").what(),
                 "h:1 (Redis) has no password, and one is configured");
    EXPECT_STREQ(failure("ERR DB index is out of range").what(),
                 "h:1 (Redis): ERR DB index is out of range");
}

}  // namespace
}  // namespace floodgate::store
