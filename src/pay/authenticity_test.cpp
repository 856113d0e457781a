#include "pay/authenticity.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace floodgate::pay {
namespace {

TEST(Authenticity, EveryValueHasAWordOfItsOwn) {
    std::set<std::string> words;
    for (auto a = static_cast<int>(authenticity::genuine);
         a <= static_cast<int>(authenticity::bad_cipher); ++a)
        words.insert(to_text(static_cast<authenticity>(a)));
    EXPECT_EQ(words.size(), 9U);
    EXPECT_FALSE(words.contains("unknown"));
}

}  // namespace
}  // namespace floodgate::pay
