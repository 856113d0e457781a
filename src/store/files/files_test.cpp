// One contract for the real file system and its twin, and what only the twin can do.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <unistd.h>

#include "store/files/posix_files.hpp"
#include "store/files/simulated_files.hpp"

namespace floodgate::store {
namespace {

using testing::ElementsAre;

std::vector<std::byte> bytes_of(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> read_all(const file& from) {
    std::vector<std::byte> bytes(from.size().value());
    EXPECT_EQ(from.read_at(0, bytes).value(), bytes.size());
    return bytes;
}

class PosixPlace {
public:
    PosixPlace() : root_(testing::TempDir() + "floodgate_files_" + std::to_string(::getpid())) {
        std::filesystem::remove_all(root_);
        std::filesystem::create_directory(root_);
    }
    ~PosixPlace() { std::filesystem::remove_all(root_); }
    std::string directory() const { return root_ + "/data"; }
    posix_files files;

private:
    std::string root_;
};

class SimulatedPlace {
public:
    static std::string directory() { return "data"; }
    simulated_files files;
};

template <class Place>
class FilesTest : public testing::Test {
protected:
    FilesTest() { EXPECT_TRUE(files().make_directory(place_.directory())); }
    file_system& files() { return place_.files; }
    std::string path(const std::string& name) { return place_.directory() + "/" + name; }
    Place place_;
};

using places = testing::Types<PosixPlace, SimulatedPlace>;
TYPED_TEST_SUITE(FilesTest, places);

TYPED_TEST(FilesTest, CreatesAFileOfZeros) {
    constexpr std::uint64_t odd_size = (300 << 10) + 7;
    const auto made = this->files().create(this->path("a"), odd_size);
    ASSERT_TRUE(made);
    EXPECT_EQ(read_all(**made), std::vector<std::byte>(odd_size));
}

TYPED_TEST(FilesTest, CreatingReplacesWhatWasThere) {
    ASSERT_TRUE((*this->files().create(this->path("a"), 8))->write_at(0, bytes_of("old")));
    ASSERT_TRUE(this->files().create(this->path("a"), 4));
    EXPECT_EQ(read_all(**this->files().open(this->path("a"))), std::vector<std::byte>(4));
}

TYPED_TEST(FilesTest, ReadsWhatWasWritten) {
    ASSERT_TRUE((*this->files().create(this->path("a"), 8))->write_at(2, bytes_of("abc")));
    const auto opened = this->files().open(this->path("a"));
    ASSERT_TRUE(opened);
    ASSERT_TRUE((*opened)->sync());
    ASSERT_TRUE((*opened)->sync_all());
    std::vector<std::byte> three(3);
    EXPECT_EQ((*opened)->read_at(2, three).value(), 3U);
    EXPECT_EQ(three, bytes_of("abc"));
}

TYPED_TEST(FilesTest, ReadsLessOnlyAtTheEnd) {
    const auto made = this->files().create(this->path("a"), 8);
    std::vector<std::byte> into(16);
    EXPECT_EQ((*made)->read_at(6, into).value(), 2U);
    EXPECT_EQ((*made)->read_at(8, into).value(), 0U);
    EXPECT_EQ((*made)->read_at(99, into).value(), 0U);
}

TYPED_TEST(FilesTest, ListsNamesInOrderAfterRenamesAndRemovals) {
    for (const char* name : {"b", "c", "a"}) ASSERT_TRUE(this->files().create(this->path(name), 8));
    ASSERT_TRUE(this->files().rename(this->path("a"), this->path("d")));
    ASSERT_TRUE(this->files().remove(this->path("b")));
    ASSERT_TRUE(this->files().sync_directory(this->place_.directory()));
    EXPECT_THAT(*this->files().list(this->place_.directory()), ElementsAre("c", "d"));
}

TYPED_TEST(FilesTest, AnOpenFileKeepsWorkingWhenItIsRenamed) {
    auto made = this->files().create(this->path("a"), 8);
    ASSERT_TRUE(this->files().rename(this->path("a"), this->path("b")));
    ASSERT_TRUE((*made)->write_at(0, bytes_of("x")));
    EXPECT_EQ(read_all(**this->files().open(this->path("b")))[0], std::byte{'x'});
}

TYPED_TEST(FilesTest, SaysWhatIsMissing) {
    using boost::system::errc::no_such_file_or_directory;
    EXPECT_EQ(this->files().open(this->path("none")).error(), no_such_file_or_directory);
    EXPECT_EQ(this->files().remove(this->path("none")).error(), no_such_file_or_directory);
    EXPECT_EQ(this->files().list(this->path("none")).error(), no_such_file_or_directory);
    EXPECT_EQ(this->files().create(this->path("none/a"), 8).error(), no_such_file_or_directory);
    EXPECT_EQ(this->files().open(this->path("none")).error().message(),
              "No such file or directory");
}

TYPED_TEST(FilesTest, LocksADirectoryOnce) {
    auto lock = this->files().lock(this->place_.directory());
    ASSERT_TRUE(lock);
    EXPECT_EQ(this->files().lock(this->place_.directory()).error(),
              boost::system::errc::operation_would_block);
    lock->reset();
    EXPECT_TRUE(this->files().lock(this->place_.directory()));
}

// L18 of the security review: a second server ran on the same data once LOCK had been removed.
TYPED_TEST(FilesTest, ALockStaysWhateverIsRemoved) {
    auto lock = this->files().lock(this->place_.directory());
    ASSERT_TRUE(this->files().create(this->path("a"), 8));
    const auto names = this->files().list(this->place_.directory());
    ASSERT_TRUE(names);
    for (const std::string& name : *names) ASSERT_TRUE(this->files().remove(this->path(name)));
    EXPECT_EQ(this->files().lock(this->place_.directory()).error(),
              boost::system::errc::operation_would_block);
}

TYPED_TEST(FilesTest, WhatIsOpenedToBeReadCanBeReadAndSynced) {
    ASSERT_TRUE((*this->files().create(this->path("a"), 8))->write_at(0, bytes_of("abc")));
    const auto opened = this->files().open_to_read(this->path("a"));
    ASSERT_TRUE(opened);
    EXPECT_EQ(read_all(**opened)[2], std::byte{'c'});
    EXPECT_TRUE((*opened)->sync_all());
    EXPECT_EQ(this->files().open_to_read(this->path("none")).error(),
              boost::system::errc::no_such_file_or_directory);
}

TYPED_TEST(FilesTest, MakingADirectoryTwiceIsFine) {
    EXPECT_TRUE(this->files().make_directory(this->place_.directory()));
}

// Tests of the twin only.

class SimulatedFilesTest : public testing::Test {
protected:
    // A synced file with a synced name.
    SimulatedFilesTest() {
        EXPECT_TRUE(files_.make_directory("data"));
        EXPECT_TRUE(files_.sync_directory(""));
        file_ = *files_.create("data/a", 1024);
        EXPECT_TRUE(files_.sync_directory("data"));
    }
    // Every content the file can have after a crash now.
    std::set<std::string> outcomes() {
        std::set<std::string> seen;
        every_choice choices;
        do {
            simulated_files after(files_);
            after.crash(choices.as_chooser());
            std::string text;
            for (const std::byte b : after.contents("data/a"))
                if (b != std::byte{0}) text += static_cast<char>(b);
            seen.insert(text);
        } while (choices.next());
        return seen;
    }

    simulated_files files_;
    std::unique_ptr<file> file_;
};

TEST_F(SimulatedFilesTest, ACrashMayLoseKeepOrTearWhatIsNotSynced) {
    ASSERT_TRUE(file_->write_at(0, bytes_of("0123456789abcdefghij")));
    EXPECT_THAT(outcomes(),
                ElementsAre("", "01234567", "0123456789", "0123456789abcdefghij", "abcdefghij"));
}

TEST_F(SimulatedFilesTest, ACrashKeepsWhatIsSynced) {
    ASSERT_TRUE(file_->write_at(0, bytes_of("ab")));
    ASSERT_TRUE(file_->sync());
    EXPECT_THAT(outcomes(), ElementsAre("ab"));
}

TEST_F(SimulatedFilesTest, ALaterSectorMaySurviveAnEarlierOne) {
    ASSERT_TRUE(file_->write_at(511, bytes_of("ab")));
    EXPECT_THAT(outcomes(), ElementsAre("", "a", "ab", "b"));
}

TEST_F(SimulatedFilesTest, ACrashMayLoseNamesThatAreNotSynced) {
    ASSERT_TRUE(files_.rename("data/a", "data/b"));
    std::set<std::vector<std::string>> seen;
    every_choice choices;
    do {
        simulated_files after(files_);
        after.crash(choices.as_chooser());
        seen.insert(*after.list("data"));
    } while (choices.next());
    EXPECT_THAT(seen, ElementsAre(ElementsAre("a"), ElementsAre("b")));
}

TEST_F(SimulatedFilesTest, AKilledProcessLosesItsFilesAndLocksButNotTheCache) {
    ASSERT_TRUE(file_->write_at(0, bytes_of("ab")));
    const auto lock = files_.lock("data");
    files_.kill();
    EXPECT_TRUE(file_->sync().has_error());
    EXPECT_TRUE(files_.lock("data"));
    EXPECT_EQ(files_.contents("data/a")[0], std::byte{'a'});
}

TEST_F(SimulatedFilesTest, FailsTheNthOperationOfItsKind) {
    files_.fail(simulated_files::operation::write, 2);
    EXPECT_TRUE(file_->write_at(0, bytes_of("a")));
    EXPECT_EQ(file_->write_at(0, bytes_of("b")).error(), boost::system::errc::io_error);
    EXPECT_TRUE(file_->write_at(0, bytes_of("c")));
}

TEST_F(SimulatedFilesTest, AFailedSyncForgetsWhatItWasToWrite) {
    ASSERT_TRUE(file_->write_at(0, bytes_of("ab")));
    files_.fail(simulated_files::operation::sync, 1);
    EXPECT_TRUE(file_->sync().has_error());
    EXPECT_TRUE(file_->sync());
    EXPECT_EQ(files_.contents("data/a")[0], std::byte{'a'}) << "the cache still shows it";
    EXPECT_THAT(outcomes(), ElementsAre(""));
}

TEST_F(SimulatedFilesTest, RunsOutOfSpace) {
    files_.limit_space(100);
    EXPECT_EQ(files_.create("data/b", 101).error(), boost::system::errc::no_space_on_device);
    EXPECT_TRUE(files_.create("data/b", 100));
    EXPECT_TRUE(file_->write_at(1000, bytes_of("fits in what is there")));
    EXPECT_EQ(file_->write_at(1024, bytes_of("x")).error(),
              boost::system::errc::no_space_on_device);
}

TEST_F(SimulatedFilesTest, EverythingFailsAfterAPowerCut) {
    files_.cut_power_at(2);
    EXPECT_TRUE(file_->write_at(0, bytes_of("a")));
    EXPECT_TRUE(file_->sync().has_error());
    EXPECT_TRUE(file_->write_at(0, bytes_of("b")).has_error());
    EXPECT_TRUE(files_.open("data/a").has_error());
    EXPECT_THAT(outcomes(), ElementsAre("", "a"));
}

}  // namespace
}  // namespace floodgate::store
