#include "store/files/descriptor_reserve.hpp"

#include <gtest/gtest.h>

#include "store/files/scarce_descriptors.hpp"

namespace floodgate::store {
namespace {

constexpr const char* something = "/proc/self/status";

TEST(DescriptorReserve, IsNotTouchedWhileThereAreOthers) {
    descriptor_reserve reserve(2);
    const int fd = reserve.open(something, O_RDONLY, 0);
    ASSERT_GE(fd, 0);
    EXPECT_EQ(reserve.kept(), 2U);
    reserve.close(fd);
    EXPECT_EQ(reserve.kept(), 2U);
    EXPECT_EQ(::fcntl(fd, F_GETFD), -1) << "it was really closed";
}

TEST(DescriptorReserve, OpensAsManyAsItHasPlacesWhenNoneIsLeft) {
    descriptor_reserve reserve(2);
    const scarce_descriptors none_left;
    const int first = reserve.open(something, O_RDONLY, 0);
    const int second = reserve.open(something, O_RDONLY, 0);
    EXPECT_GE(first, 0);
    EXPECT_GE(second, 0);
    EXPECT_EQ(reserve.open(something, O_RDONLY, 0), -1);
    EXPECT_EQ(errno, EMFILE);
    reserve.close(first);
    EXPECT_EQ(reserve.kept(), 1U) << "its place is not free for others";
    EXPECT_EQ(::eventfd(0, EFD_CLOEXEC), -1);
    const int again = reserve.open(something, O_RDONLY, 0);
    EXPECT_GE(again, 0);
    reserve.close(again);
    reserve.close(second);
}

TEST(DescriptorReserve, KeepsThePlaceThatAFailedOpenDidNotNeed) {
    descriptor_reserve reserve(1);
    const scarce_descriptors none_left;
    EXPECT_EQ(reserve.open("/nowhere/at/all", O_RDONLY, 0), -1);
    EXPECT_EQ(errno, ENOENT);
    EXPECT_EQ(reserve.kept(), 1U);
}

}  // namespace
}  // namespace floodgate::store
