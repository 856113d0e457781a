#include "journal/segment_maker.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <functional>

#include "journal/hand_line.hpp"
#include "journal/segment_name.hpp"

namespace floodgate::journal {
namespace {

// The simulated disk, with an act of another thread just before a rename.
class interrupted_files final : public store::file_system {
public:
    std::function<void()> before_rename;

    result<std::unique_ptr<store::file>> create(const std::string& path,
                                                std::uint64_t bytes) override {
        return disk_.create(path, bytes);
    }
    result<std::unique_ptr<store::file>> open(const std::string& path) override {
        return disk_.open(path);
    }
    result<std::unique_ptr<store::file>> open_to_read(const std::string& path) override {
        return disk_.open_to_read(path);
    }
    result<void> remove(const std::string& path) override { return disk_.remove(path); }
    result<void> rename(const std::string& from, const std::string& to) override {
        if (before_rename) before_rename();
        return disk_.rename(from, to);
    }
    result<void> make_directory(const std::string& path) override {
        return disk_.make_directory(path);
    }
    result<void> sync_directory(const std::string& path) override {
        return disk_.sync_directory(path);
    }
    result<std::vector<std::string>> list(const std::string& directory) override {
        return disk_.list(directory);
    }
    result<std::unique_ptr<store::directory_lock>> lock(const std::string& directory) override {
        return disk_.lock(directory);
    }
    std::vector<std::byte> contents(const std::string& path) const { return disk_.contents(path); }
    store::simulated_files& disk() { return disk_; }

private:
    store::simulated_files disk_;
};

class SegmentMakerTest : public testing::Test {
protected:
    SegmentMakerTest() { EXPECT_TRUE(files_.make_directory(test_directory)); }

    // Begins the segment of this promise and expects its file to carry its header.
    void expect_begins(std::uint64_t first) {
        auto begun = maker_.begin({first}, 7);
        ASSERT_TRUE(begun);
        const auto bytes = files_.contents(maker_.path_of(segment_name({first})));
        std::array<std::byte, segment_header_bytes> wanted{};
        put_segment_header(wanted, {{first}, 1024, 7});
        ASSERT_EQ(bytes.size(), 1024U);
        EXPECT_TRUE(std::ranges::equal(wanted, std::span(bytes).first(segment_header_bytes)));
    }

    interrupted_files files_;
    segment_maker maker_{files_, test_directory, 1024};
};

TEST_F(SegmentMakerTest, BeginsFromTheSpareAndWithoutOne) {
    ASSERT_TRUE(maker_.prepare_spare());
    ASSERT_TRUE(maker_.prepare_spare());
    expect_begins(1);
    expect_begins(9);
    ASSERT_TRUE(maker_.prepare_spare());
    expect_begins(17);
}

// The caretaker may be asked for a spare while the writer is still renaming the last one.
TEST_F(SegmentMakerTest, ASpareWantedTooEarlyLeavesTheTakenOneAlone) {
    ASSERT_TRUE(maker_.prepare_spare());
    files_.before_rename = [this] { EXPECT_TRUE(maker_.prepare_spare()); };
    expect_begins(1);
    files_.before_rename = nullptr;
    ASSERT_TRUE(maker_.prepare_spare());
    expect_begins(9);
}

// H2 of the security review: idle connections had used up the file descriptors, and the process
// ended with the next segment.
TEST_F(SegmentMakerTest, WaitsWhenTheProcessHasNoFileDescriptorLeft) {
    files_.disk().fail(store::simulated_files::operation::create, 1, EMFILE);
    expect_begins(1);
    files_.disk().fail(store::simulated_files::operation::create, 1, ENFILE);
    expect_begins(9);
}

TEST_F(SegmentMakerTest, DoesNotWaitForADiskThatIsFull) {
    files_.disk().fail(store::simulated_files::operation::create, 1, ENOSPC);
    EXPECT_EQ(maker_.begin({1}, 7).error(), boost::system::errc::no_space_on_device);
}

}  // namespace
}  // namespace floodgate::journal
