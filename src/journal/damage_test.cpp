// No bit of a journal can change unnoticed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "journal/format.hpp"
#include "journal/hand_line.hpp"
#include "journal/survey.hpp"

namespace floodgate::journal {
namespace {

using store::simulated_files;
using testing::HasSubstr;

class DamageTest : public testing::Test {
protected:
    // Commits each batch as a record of its own.
    void write(const std::vector<unsigned>& batches, bool sealed) {
        hand_line line(files_);
        for (const unsigned promises : batches) {
            for (unsigned i = 0; i < promises; ++i) line.append(numbered(++written_));
            ASSERT_TRUE(line.commit());
        }
        ASSERT_TRUE(!sealed || line.seal());
        newest_ = files_in(files_).back();
    }
    // Where the newest segment's records end.
    std::uint64_t end_of_newest() {
        survey_visitor nobody;
        return survey_segments(files_, test_directory, sync_first::no, nobody).end;
    }
    // Overwrites bytes of the newest segment.
    void scribble(std::uint64_t offset, const std::string& text) {
        auto contents = files_.contents(newest_);
        std::ranges::copy(std::as_bytes(std::span(text)),
                          contents.begin() + static_cast<std::ptrdiff_t>(offset));
        files_.put_file(newest_, contents);
    }

    simulated_files files_;
    std::string newest_;
    std::uint64_t written_ = 0;
};

TEST_F(DamageTest, EveryFlippedBitIsRefusedOrHealed) {
    write({1, 2, 6, 3, 7, 1}, true);
    const auto paths = files_in(files_);
    ASSERT_GE(paths.size(), 2U);
    const std::uint64_t seal = end_of_newest() - record_header_bytes;
    std::size_t healed = 0;
    for (const std::string& path : paths) {
        const auto before = files_.contents(path);
        for (std::uint64_t bit = 0; bit < before.size() * 8; ++bit) {
            simulated_files damaged(files_);
            damaged.flip_bit(path, bit);
            if (!why_not_open(damaged).empty()) continue;
            // Only the closing seal and the zeros after it may be repaired silently: they hold no
            // promise, and a crash during a write could have left the same bytes.
            ++healed;
            ASSERT_TRUE(path == newest_ && bit / 8 >= seal) << path << " bit " << bit;
            ASSERT_EQ(damaged.contents(path), before) << "opened but not healed: bit " << bit;
        }
    }
    EXPECT_GT(healed, 0U);
}

TEST_F(DamageTest, EveryFlippedBitBeforeTheLastRecordIsRefusedWithoutASealToo) {
    write({1, 2, 1}, false);
    const std::uint64_t last = end_of_newest() - record_bytes(71);
    for (std::uint64_t bit = 0; bit < last * 8; ++bit) {
        simulated_files damaged(files_);
        damaged.flip_bit(newest_, bit);
        ASSERT_FALSE(why_not_open(damaged).empty()) << "bit " << bit;
    }
}

// A limit of the format: see docs/journal_format.md, "Downsides".
TEST_F(DamageTest, TheLastRecordWithoutASealPassesForATornTailUnlessTheLedgerKnowsBetter) {
    write({1, 2, 1}, false);
    files_.flip_bit(newest_, (end_of_newest() - 60) * 8);
    EXPECT_THAT(why_not_open(files_, {4}), HasSubstr("ends with promise 3"));
    EXPECT_EQ(why_not_open(files_, {3}), "");
}

TEST_F(DamageTest, GarbageWhereTheNextRecordWouldBeginIsRefused) {
    write({1}, true);
    scribble(end_of_newest(), "this was never a record of ours, whatever else it is");
    EXPECT_THAT(why_not_open(files_), HasSubstr("not the rest of a record"));
}

TEST_F(DamageTest, GarbageBehindATornRecordIsRefused) {
    write({1}, true);
    const std::uint64_t end = end_of_newest();
    {
        hand_line line(files_);
        line.append(numbered(2));
        ASSERT_TRUE(line.commit());
    }
    files_.flip_bit(newest_, (end + record_header_bytes + 30) * 8);
    EXPECT_EQ(inspect(files_, test_directory, {}).size(), 0U) << "a torn tail is no fault";
    scribble(end + record_bytes(71), "x");
    EXPECT_THAT(why_not_open(files_), HasSubstr("not the rest of a record"));
}

TEST_F(DamageTest, ARecordFromAnotherPlaceIsRefused) {
    write({1, 1, 1}, true);
    auto contents = files_.contents(newest_);
    const std::size_t size = record_bytes(71);
    const auto first = contents.begin() + segment_header_bytes;
    std::swap_ranges(first, first + static_cast<std::ptrdiff_t>(size),
                     first + static_cast<std::ptrdiff_t>(size));
    files_.put_file(newest_, contents);
    EXPECT_THAT(why_not_open(files_), HasSubstr("does not follow"));
}

TEST_F(DamageTest, ARecordOfAnotherJournalIsRefused) {
    write({1, 1, 1}, true);
    simulated_files elsewhere;
    {
        hand_line other(elsewhere);
        for (std::uint64_t number = 1; number <= 2; ++number) {
            other.append(numbered(number + 100));  // other promises at the same places
            ASSERT_TRUE(other.commit());
        }
    }
    auto contents = files_.contents(newest_);
    const auto foreign = elsewhere.contents(files_in(elsewhere).back());
    const std::size_t size = record_bytes(71), second = segment_header_bytes + size;
    std::copy_n(foreign.begin() + static_cast<std::ptrdiff_t>(second), size,
                contents.begin() + static_cast<std::ptrdiff_t>(second));
    files_.put_file(newest_, contents);
    EXPECT_THAT(why_not_open(files_), HasSubstr("does not follow"));
}

TEST_F(DamageTest, AShortenedOrEmptyFileIsRefused) {
    write({1}, true);
    auto contents = files_.contents(newest_);
    for (const std::size_t bytes : {1016U, 512U, 64U, 0U}) {
        contents.resize(bytes);
        files_.put_file(newest_, contents);
        EXPECT_FALSE(why_not_open(files_).empty()) << bytes;
    }
}

TEST_F(DamageTest, AFileNamedLikeASegmentMustBeOne) {
    write({1}, true);
    files_.put_file("journal/notes.journal", std::vector<std::byte>(1024));
    EXPECT_THAT(why_not_open(files_), HasSubstr("segment header is damaged"));
}

}  // namespace
}  // namespace floodgate::journal
