#include "engine/redis_durability.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace floodgate::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

store::redis_facts strong() {
    return {.kind = "valkey",
            .version = "8.0.1",
            .append_only = true,
            .append_fsync = "always",
            .eviction = "noeviction"};
}

TEST(RedisDurability, IsSaidInOneLine) {
    EXPECT_EQ(say_durability(strong()),
              "gate and queue: valkey 8.0.1 appendonly=yes appendfsync=always");
    store::redis_facts hidden = strong();
    hidden.append_fsync = "";
    EXPECT_THAT(say_durability(hidden), HasSubstr("appendfsync=unknown"));
}

TEST(RedisDurability, HasNoWeaknessWhenEveryWriteIsSynced) {
    EXPECT_THAT(weaknesses_of(strong()), IsEmpty());
    store::redis_facts f = strong();
    f.eviction = "";  // it may not be read
    f.clock_apart = milliseconds(-500);
    EXPECT_THAT(weaknesses_of(f), IsEmpty());
}

TEST(RedisDurability, IsWeakWithoutAnAppendOnlyFile) {
    store::redis_facts f = strong();
    f.append_only = false;
    f.append_fsync = "everysec";
    EXPECT_THAT(weaknesses_of(f), ElementsAre(HasSubstr("appendonly is off"))) << "said once";
}

TEST(RedisDurability, IsWeakWhenSyncedOnceASecondOrUnknown) {
    store::redis_facts f = strong();
    f.append_fsync = "everysec";
    EXPECT_THAT(weaknesses_of(f), ElementsAre(HasSubstr("appendfsync is everysec")));
    f.append_fsync = "";
    EXPECT_THAT(weaknesses_of(f), ElementsAre(HasSubstr("appendfsync is unknown")));
}

TEST(RedisDurability, IsWeakWhenKeysMayBeEvicted) {
    store::redis_facts f = strong();
    f.eviction = "allkeys-lru";
    EXPECT_THAT(weaknesses_of(f), ElementsAre(HasSubstr("noeviction is needed")));
}

TEST(RedisDurability, IsWeakWhenClocksAreApartEitherWay) {
    store::redis_facts f = strong();
    for (const int apart : {501, -501}) {
        f.clock_apart = milliseconds(apart);
        EXPECT_THAT(weaknesses_of(f), ElementsAre(HasSubstr(std::to_string(apart) + " ms apart")));
    }
}

}  // namespace
}  // namespace floodgate::engine
