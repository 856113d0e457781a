// What only the stream's own way has to keep, with Redis servers that are killed and stopped.

#include "queue/stream_queue.hpp"

#include "queue/queue_fixture.hpp"

namespace floodgate::queue {
namespace {

const auto nobody = [] {};

TEST(StreamQueue, GoesOnWhenRedisComesBack) {
    store::own_redis server({"--appendonly", "yes", "--appendfsync", "always"});
    queue_fixture world(way::stream, server.options());
    const auto q = world.open("a");
    world.append(1, 3);
    world.append(4, 6);
    q->start(at(0), nobody);
    ASSERT_EQ(read_orders(*q, at(0), 6), from_to(1, 6));
    server.kill();
    q->entered(at(4));
    server.start();
    ASSERT_TRUE(eventually([&] { return world.length() >= 0; }));
    world.append(7, 9);
    EXPECT_EQ(read_orders(*q, at(4), 5), from_to(5, 9));
    q->entered(at(9));
    EXPECT_TRUE(eventually([&] { return world.length() == 0; }));
}

TEST(StreamQueue, StopsWhileRedisDoesNotAnswer) {
    const store::own_redis server;
    queue_fixture world(way::stream, server.impatient());
    const auto q = world.open("a");
    world.append(1, 3);
    q->start(at(0), nobody);
    ASSERT_EQ(read_orders(*q, at(0), 3), from_to(1, 3));
    server.freeze();
    q->entered(at(3));
    const auto began = std::chrono::steady_clock::now();
    q->stop();
    EXPECT_LT(std::chrono::steady_clock::now() - began, 15s);
    server.thaw();
}

TEST(StreamQueue, RemovesTheDeadFromItsGroup) {
    FLOODGATE_NEED_REDIS(false);
    queue_fixture world(way::stream);
    world.append(1, 3);
    for (const char* consumer : {"a", "b", "c"}) {
        const auto dead = world.open(consumer);
        dead->start(at(0), nobody);
        ASSERT_EQ(read_orders(*dead, at(0), 3), from_to(1, 3));
    }
    const auto q = world.open("d");
    q->start(at(0), nobody);
    ASSERT_EQ(read_orders(*q, at(0), 3), from_to(1, 3));
    EXPECT_TRUE(eventually([&] {
        const auto reply =
            world.redis().ask(world.line, {"XINFO", "CONSUMERS", world.line, "clerk"});
        return reply && reply->items.size() == 1 && reply->items[0].items[1].text == "d";
    }));
}

TEST(StreamQueue, AFullBufferStillKnowsHowLongTheLineIs) {
    FLOODGATE_NEED_REDIS(false);
    queue_fixture world(way::stream);
    const auto q = world.open("a", 10);
    world.set_gate(1, 100);
    for (std::uint64_t n = 1; n <= 6400; n += 100) world.append(n, n + 99);
    world.append(6401, 6500);
    world.set_gate(1, 6500);
    q->start(at(0), nobody);
    EXPECT_TRUE(eventually([&] { return q->durable() == at(6500); }));
    std::vector<sale::promise> in_hand;
    ASSERT_TRUE(q->read(at(0), 10'000, in_hand));
    EXPECT_LE(in_hand.size(), 6400U) << "one reading more than the buffer at most";
    world.set_gate(1, 7000);
    EXPECT_TRUE(eventually([&] { return q->durable() == at(7000); }));
}

}  // namespace
}  // namespace floodgate::queue
