// A journal and its ledger know each other: a missing journal, or another ledger's, is refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "journal/hand_line.hpp"

namespace floodgate::journal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class JournalIdentityTest : public testing::Test {
protected:
    std::unique_ptr<journal> open(std::uint64_t known_as = 0, sale::sequence entered = {0}) {
        return std::make_unique<journal>(files_, options{test_directory, 1024}, entered, known_as);
    }
    std::string why_not(std::uint64_t known_as, sale::sequence entered = {0}) {
        try {
            open(known_as, entered);
            return "";
        } catch (const std::runtime_error& e) {
            return e.what();
        }
    }
    std::vector<std::string> inspected(std::uint64_t known_as, sale::sequence entered = {0}) {
        return inspect(files_, test_directory, {}, expectation{entered, known_as});
    }
    // Appends `count` promises, each in a record of its own.
    void append(journal& to, std::uint64_t count) {
        for (; count > 0; --count) {
            to.append(numbered(++appended_));
            to.commit();
        }
    }
    void remove_everything() {
        for (const std::string& path : files_in(files_)) ASSERT_TRUE(files_.remove(path));
    }

    store::simulated_files files_;
    std::uint64_t appended_ = 0;
};

TEST_F(JournalIdentityTest, StaysTheSameAcrossSegmentsAndStarts) {
    auto first = open();
    const std::uint64_t id = first->id();
    EXPECT_NE(id, 0U);
    append(*first, 40);
    first.reset();
    EXPECT_EQ(open()->id(), id);
    EXPECT_EQ(open(id)->id(), id);
    auto trimmed = open(id, {40});
    append(*trimmed, 1);
    EXPECT_EQ(trimmed->id(), id);
}

// L17 of the security review: the server started as if nothing had been promised.
TEST_F(JournalIdentityTest, RefusesAnEmptyDirectoryWhereTheLedgerHadAJournal) {
    auto first = open();
    const std::uint64_t id = first->id();
    append(*first, 5);
    first.reset();
    remove_everything();
    EXPECT_THAT(why_not(id), HasSubstr("there is no journal, but the ledger had one"));
    EXPECT_THAT(inspected(id), ElementsAre(HasSubstr("there is no journal")));
    EXPECT_EQ(why_not(0), "") << "a ledger that never had one";
}

// `mv kept journal` would otherwise land inside the empty directory that the refusal left behind.
TEST_F(JournalIdentityTest, ARefusedStartMakesNoDirectory) {
    EXPECT_THAT(why_not(7), HasSubstr("there is no journal, but the ledger had one"));
    EXPECT_THAT(why_not(7, {5}), HasSubstr("the ledger has entered up to 5"));
    EXPECT_FALSE(files_.list(test_directory)) << "the directory is there";
    EXPECT_EQ(why_not(0), "");
    EXPECT_TRUE(files_.list(test_directory));
}

TEST_F(JournalIdentityTest, RefusesTheJournalOfAnotherLedger) {
    const std::uint64_t id = open()->id();
    EXPECT_THAT(why_not(id + 1), HasSubstr("the journal of another ledger"));
    EXPECT_THAT(inspected(id + 1), ElementsAre(HasSubstr("the journal of another ledger")));
    EXPECT_THAT(inspected(id), IsEmpty());
}

TEST_F(JournalIdentityTest, RefusesSegmentsOfTwoJournals) {
    auto first = open();
    append(*first, 20);
    first.reset();
    const auto names = files_in(files_);
    const std::string& newest = names.back();
    std::vector<std::byte> bytes = files_.contents(newest);
    auto header = read_segment_header(bytes).value();
    header.journal += 1;
    put_segment_header(std::span(bytes).first<segment_header_bytes>(), header);
    files_.put_file(newest, bytes);
    EXPECT_THAT(why_not(0), HasSubstr("belongs to another journal"));
}

TEST_F(JournalIdentityTest, ADirectoryFromBeforeThereWereIdsGetsOne) {
    {
        hand_line old(files_);
        old.append(numbered(1));
        ASSERT_TRUE(old.commit());
    }
    appended_ = 1;
    auto now = open();
    const std::uint64_t id = now->id();
    EXPECT_NE(id, 0U);
    now.reset();
    auto again = open(id);
    append(*again, 40);
    again.reset();
    EXPECT_EQ(open()->id(), id) << "the later segments carry it";
    EXPECT_EQ(why_not(id), "");
}

// M8 of the security review: `check` accepted what `serve` refused.
TEST_F(JournalIdentityTest, InspectNamesTheGapBeforeTheFirstSegment) {
    auto first = open();
    append(*first, 40);
    first.reset();
    ASSERT_TRUE(files_.remove(files_in(files_).front()));
    EXPECT_THAT(inspected(0), ElementsAre(HasSubstr("promises between them are missing")));
    EXPECT_THAT(why_not(0), HasSubstr("promises between them are missing"));
    EXPECT_THAT(inspected(0, {30}), IsEmpty()) << "the ledger has what is gone";
}

}  // namespace
}  // namespace floodgate::journal
