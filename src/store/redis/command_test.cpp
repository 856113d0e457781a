#include "store/redis/command.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "store/redis/reply.hpp"

namespace floodgate::store {
namespace {

using namespace std::string_literals;

TEST(RedisWords, AreEncodedAsTheyAreAdded) {
    words w{"SET", "a\0b"s};
    w.add(std::int64_t{-7});
    words more{"PX"};
    more.add("");
    w.append(more);
    EXPECT_EQ(w.count(), 5U);
    EXPECT_EQ(w.front(), "SET");
    std::string out;
    w.write_to(out);
    EXPECT_EQ(out, "*5\r\n$3\r\nSET\r\n$3\r\na\0b\r\n$2\r\n-7\r\n$2\r\nPX\r\n$0\r\n\r\n"s);
    EXPECT_EQ(words().front(), "");
}

TEST(RedisCommand, GoesOutAfterAskingWhereItIsAskedFor) {
    const redis_command command{"a", {"GET", "a"}};
    std::string out;
    EXPECT_EQ(command.write_to(out, {.asking = true}), 2U) << "ASKING has an answer of its own";
    EXPECT_EQ(out, "*1\r\n$6\r\nASKING\r\n*2\r\n$3\r\nGET\r\n$1\r\na\r\n");
}

TEST(RedisCommand, RunsAScriptByItsHashOrWhole) {
    const redis_script script("return 1");
    const redis_command command = to_run(script, {"k", "l"}, {"x"});
    EXPECT_EQ(command.key, "k");
    EXPECT_EQ(command.name(), "EVALSHA");
    const std::string rest = "$1\r\n2\r\n$1\r\nk\r\n$1\r\nl\r\n$1\r\nx\r\n";
    std::string out;
    EXPECT_EQ(command.write_to(out, {}), 1U);
    EXPECT_EQ(out, "*6\r\n$7\r\nEVALSHA\r\n$40\r\n" + script.sha() + "\r\n" + rest);
    out.clear();
    EXPECT_EQ(command.write_to(out, {.whole = true}), 1U);
    EXPECT_EQ(out, "*6\r\n$4\r\nEVAL\r\n$8\r\nreturn 1\r\n" + rest);
}

TEST(RedisScript, IsKnownByItsSha1) {
    EXPECT_EQ(redis_script("return 1").sha(), "e0e1f9fabfc9d4800c877a703b823ac0578ff8db");
}

TEST(RedisScript, IsHashedOnceByManyThreads) {
    const redis_script script("return 1");
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] { EXPECT_EQ(script.sha().substr(0, 8), "e0e1f9fa"); });
}

TEST(RedisReply, GivesANumberWrittenEitherWay) {
    using kind = redis_reply::kind;
    EXPECT_EQ(read_number({kind::integer, 7, {}, {}}), 7);
    EXPECT_EQ(read_number({kind::text, 0, "-12", {}}), -12);
    for (const char* bad : {"", "1x", " 1", "x"})
        EXPECT_FALSE(read_number({kind::text, 0, bad, {}})) << bad;
    EXPECT_EQ(number_or_zero({}), 0);
}

}  // namespace
}  // namespace floodgate::store
