#include "guard/access_list.hpp"

#include <gtest/gtest.h>

#include "guard/tokens.hpp"

namespace floodgate::guard {
namespace {

const instant noon = from_ms(1'800'000'000'000);

TEST(AccessList, AKeyLooksLikeNoLogInToken) {
    const std::string key = new_api_key();
    EXPECT_EQ(key.size(), 36U);
    EXPECT_TRUE(key.starts_with("fgk_"));
    EXPECT_TRUE(looks_like_api_key(key));
    EXPECT_NE(key, new_api_key());
    for (const std::string& other :
         {new_token(), std::string(), key + "x", "fgx_" + new_token(), std::string("fgk_")})
        EXPECT_FALSE(looks_like_api_key(other)) << other;
}

TEST(AccessList, FindsAKeyUntilItExpires) {
    access_list list;
    list.keys[hash_of("a")] = {.id = 1, .name = "for ever"};
    list.keys[hash_of("b")] = {.id = 2, .name = "until noon", .expires_at = noon};
    EXPECT_EQ(list.find_key(hash_of("a"), noon)->id, 1);
    EXPECT_EQ(list.find_key(hash_of("b"), noon - milliseconds(1))->id, 2);
    EXPECT_FALSE(list.find_key(hash_of("b"), noon));
    EXPECT_FALSE(list.find_key(hash_of("c"), noon));
}

TEST(AccessList, AKeyHasTheScopesItWasGiven) {
    for (const scope given : all_scopes) {
        api_key key;
        key.allow(given);
        for (const scope asked : all_scopes) EXPECT_EQ(key.has(asked), asked == given);
        EXPECT_EQ(parse_scope(to_text(given)), given);
    }
    EXPECT_FALSE(parse_scope("everything"));
}

TEST(AccessList, AReaderSeesTheNewestList) {
    access_lists lists;
    subscription<access_list> reader(lists);
    EXPECT_FALSE(reader.newest().is_disabled({7}));
    access_list next;
    next.disabled_users.insert(7);
    lists.publish(next);
    EXPECT_TRUE(reader.newest().is_disabled({7}));
    EXPECT_FALSE(reader.newest().is_disabled({8}));
    lists.publish({});
    EXPECT_FALSE(reader.newest().is_disabled({7}));
}

}  // namespace
}  // namespace floodgate::guard
