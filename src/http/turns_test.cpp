#include "http/turns.hpp"

#include <gtest/gtest.h>

#include <string>

namespace floodgate::http {
namespace {

class TurnsTest : public testing::Test {
protected:
    void ahead(int count) {
        for (int i = 0; i < count; ++i) turns_.add(true, [this] { order_ += 'a'; });
    }
    void behind(int count) {
        for (int i = 0; i < count; ++i) turns_.add(false, [this] { order_ += 'b'; });
    }
    std::string take(int count) {
        order_.clear();
        for (int i = 0; i < count; ++i) turns_.take()();
        return order_;
    }

    turns turns_;
    std::string order_;
};

TEST_F(TurnsTest, ThreeOfThoseAheadGoBeforeEachBehind) {
    behind(4);
    ahead(8);
    EXPECT_EQ(take(12), "aaabaaabaabb");
}

TEST_F(TurnsTest, WhoeverIsAloneGoesOn) {
    behind(3);
    EXPECT_EQ(take(3), "bbb");
    ahead(9);
    EXPECT_EQ(take(9), "aaaaaaaaa");
    ahead(4);
    behind(1);
    EXPECT_EQ(take(5), "aaaba") << "turns are counted only while somebody waits behind";
}

// Regression M7: a buyer waited until all earlier work of strangers was done.
TEST_F(TurnsTest, OneThatComesLaterGoesBeforeAllThatWaitBehind) {
    behind(250);
    EXPECT_EQ(take(5), "bbbbb");
    ahead(1);
    EXPECT_EQ(take(2), "ab");
}

}  // namespace
}  // namespace floodgate::http
