#include "journal/journal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/eventually.hpp"
#include "journal/hand_line.hpp"

namespace floodgate::journal {
namespace {

using operation = store::simulated_files::operation;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::uint64_t small_segment_bytes = 1024;  // eight or so promises

class JournalTest : public testing::Test {
protected:
    void open(std::uint64_t entered = 0) {
        journal_.reset();
        journal_ = std::make_unique<journal>(files_, options{test_directory, small_segment_bytes},
                                             sale::sequence{entered});
    }
    void start() {
        journal_->start([this](const std::string& reason) {
            failure_ = reason;
            ++failures_;
        });
    }
    void open_and_start(std::uint64_t entered = 0) {
        open(entered);
        start();
    }
    void close() { journal_.reset(); }

    // Appends `count` promises and waits until they are durable or the journal has failed.
    void append(std::uint64_t count) {
        sale::sequence last = journal_->durable();
        for (std::uint64_t i = 0; i < count; ++i)
            last = journal_->append(numbered(journal_->durable().value + i + 1));
        journal_->push();
        ASSERT_TRUE(eventually([&] { return journal_->durable() >= last || failures_ > 0; }));
    }
    void append_one_by_one(std::uint64_t count) {
        for (std::uint64_t i = 0; i < count && failures_ == 0; ++i) append(1);
    }
    std::size_t segments() {
        return static_cast<std::size_t>(std::ranges::count_if(
            files_in(files_), [](const auto& name) { return name.ends_with(".journal"); }));
    }

    store::simulated_files files_;
    std::string failure_;
    std::atomic<int> failures_ = 0;
    std::unique_ptr<journal> journal_;
};

TEST_F(JournalTest, GivesBackWhatWasAppended) {
    open_and_start();
    append(5);
    EXPECT_EQ(journal_->durable(), sale::sequence{5});
    expect_whole_line(*journal_);
}

TEST_F(JournalTest, NumbersPromisesFromOne) {
    open();
    EXPECT_EQ(journal_->append(numbered(1)), sale::sequence{1});
    EXPECT_EQ(journal_->append(numbered(2)), sale::sequence{2});
    EXPECT_EQ(journal_->durable(), sale::sequence{0}) << "nothing is durable before a sync";
}

TEST_F(JournalTest, StoppingMakesEverythingDurable) {
    open();
    journal_->append(numbered(1));
    journal_->stop();
    journal_->stop();
    EXPECT_EQ(journal_->durable(), sale::sequence{1});
}

TEST_F(JournalTest, AlwaysHasRoomForTheClosingSeal) {
    hand_line line(files_);
    for (std::uint64_t number = 1; number <= 12;
         ++number) {  // two records that just fill a segment
        line.append(numbered(number));
        ASSERT_TRUE(number % 6 != 0 || line.commit());
    }
    const auto created = files_.operations(operation::create);
    ASSERT_TRUE(line.seal());
    EXPECT_EQ(files_.operations(operation::create), created) << "stopping must not make a segment";
}

TEST_F(JournalTest, GoesOnWhereItStopped) {
    for (std::uint64_t round = 1; round <= 10; ++round) {
        open_and_start();
        EXPECT_EQ(journal_->durable(), sale::sequence{(round - 1) * 3});
        append(3);
        expect_whole_line(*journal_);
    }
}

TEST_F(JournalTest, FillsManySegments) {
    open_and_start();
    append_one_by_one(100);
    EXPECT_GT(segments(), 10U);
    expect_whole_line(*journal_);
    open();
    expect_whole_line(*journal_);
}

TEST_F(JournalTest, SplitsABatchThatIsLargerThanARecord) {
    open();
    for (std::uint64_t i = 1; i <= 200; ++i) journal_->append(numbered(i));
    start();
    journal_->stop();
    expect_whole_line(*journal_);
    EXPECT_GT(journal_->read_figures().records, 10U);
}

TEST_F(JournalTest, ReadsFromAnyPlaceAndNoMoreThanAsked) {
    open_and_start();
    append_one_by_one(60);
    std::vector<sale::promise> found;
    for (std::uint64_t after : {59U, 3U, 40U, 0U, 41U, 12U, 13U, 58U}) {
        ASSERT_TRUE(journal_->read({after}, 2, found));
        ASSERT_EQ(found.size(), std::min<std::size_t>(2, 60 - after));
        EXPECT_EQ(found[0], numbered(after + 1));
    }
    ASSERT_TRUE(journal_->read({60}, 10, found));
    EXPECT_TRUE(found.empty()) << "nothing lies beyond the watermark";
}

TEST_F(JournalTest, DoesNotReadWhatIsNotDurable) {
    open();
    journal_->append(numbered(1));
    std::vector<sale::promise> found{numbered(9)};
    ASSERT_TRUE(journal_->read({0}, 10, found));
    EXPECT_TRUE(found.empty());
}

TEST_F(JournalTest, ReportsARecordThatChangedUnderneath) {
    open_and_start();
    append(3);
    files_.flip_bit(files_in(files_).front(), 8 * (64 + 40 + 20));
    std::vector<sale::promise> found;
    const auto read = journal_->read({0}, 10, found);
    ASSERT_TRUE(read.has_error());
    EXPECT_EQ(read.error(), make_error_code(errc::corrupt));
}

TEST_F(JournalTest, TellsAfterTheWatermarkMoved) {
    open();
    std::vector<std::uint64_t> seen;
    journal_->on_durable([&] { seen.push_back(journal_->durable().value); });
    start();
    append(2);
    append(3);
    journal_->stop();
    EXPECT_EQ(seen, (std::vector<std::uint64_t>{2, 5}));
}

TEST_F(JournalTest, CountsWhatTheClerkHasStillToEnter) {
    open_and_start();
    append(5);
    journal_->append(numbered(6));
    EXPECT_EQ(journal_->backlog(), 6U);
    journal_->entered({4});
    EXPECT_EQ(journal_->backlog(), 2U);
    journal_->entered({3});
    EXPECT_EQ(journal_->backlog(), 2U) << "entered never goes back";
}

TEST_F(JournalTest, DeletesWholeSegmentsTheLedgerHolds) {
    open_and_start();
    append_one_by_one(60);
    const std::size_t before = segments();
    journal_->entered({30});
    ASSERT_TRUE(eventually([&] { return segments() <= before / 2 + 2; }));
    expect_whole_line(*journal_, {30});
    open_and_start(30);
    expect_whole_line(*journal_, {30});
    journal_->entered({60});
    ASSERT_TRUE(eventually([&] { return segments() == 1; }));
    append(1);
    expect_whole_line(*journal_, {60});
}

TEST_F(JournalTest, SaysSoWhenAskedForWhatIsDeleted) {
    open_and_start();
    append_one_by_one(60);
    journal_->entered({60});
    ASSERT_TRUE(eventually([&] { return segments() == 1; }));
    std::vector<sale::promise> found;
    EXPECT_EQ(journal_->read({0}, 1, found).error(), make_error_code(errc::not_found));
}

TEST_F(JournalTest, RefusesAJournalThatBeginsAfterTheLedger) {
    open_and_start();
    append_one_by_one(60);
    journal_->entered({60});
    ASSERT_TRUE(eventually([&] { return segments() == 1; }));
    close();
    EXPECT_EQ(why_not_open(files_, {60}), "");
    EXPECT_THAT(why_not_open(files_, {10}), HasSubstr("promises between them are missing"));
}

TEST_F(JournalTest, RefusesAJournalThatEndsBeforeTheLedger) {
    open_and_start();
    append(3);
    close();
    EXPECT_EQ(why_not_open(files_, {3}), "");
    EXPECT_THAT(why_not_open(files_, {4}), HasSubstr("ends with promise 3"));
}

TEST_F(JournalTest, RefusesAnEmptyDirectoryWhenTheLedgerIsNot) {
    EXPECT_THAT(why_not_open(files_, {1}), HasSubstr("ends with promise 0"));
    EXPECT_EQ(why_not_open(files_, {0}), "");
}

TEST_F(JournalTest, RefusesADirectoryInUse) {
    open();
    EXPECT_THAT(why_not_open(files_), HasSubstr("in use by another process"));
    close();
    EXPECT_EQ(why_not_open(files_), "");
}

TEST_F(JournalTest, RefusesAMissingSegment) {
    open_and_start();
    append_one_by_one(60);
    close();
    ASSERT_TRUE(files_.remove(files_in(files_).at(2)));
    EXPECT_THAT(why_not_open(files_), HasSubstr("does not continue the segment before it"));
}

TEST_F(JournalTest, RefusesASenselessSegmentSize) {
    for (const std::uint64_t bytes : {0ULL, 1000ULL, 1028ULL, 1ULL << 40U})
        EXPECT_THROW(journal(files_, {test_directory, bytes}, {0}), std::runtime_error) << bytes;
}

TEST_F(JournalTest, NamesFileAndOffsetOfDamage) {
    open_and_start();
    append(1);
    append(1);
    close();
    files_.flip_bit(files_in(files_).front(), 8 * 100);
    EXPECT_THAT(why_not_open(files_),
                HasSubstr("journal/00000000000000000001.journal at offset 64: damaged"));
}

TEST_F(JournalTest, SyncsEverySegmentBeforeItIsRead) {
    open_and_start();
    append_one_by_one(20);
    close();
    ASSERT_EQ(segments(), 3U);
    for (std::uint64_t nth = 1; nth <= 3; ++nth) {
        files_.kill();
        files_.fail(operation::sync, nth);
        EXPECT_THAT(why_not_open(files_), HasSubstr("cannot sync"));
    }
}

TEST_F(JournalTest, AcknowledgesNothingAfterAFailedStep) {
    for (const operation what : {operation::write, operation::sync}) {
        for (std::uint64_t nth = 1; nth <= 12; ++nth) {
            store::simulated_files fresh;
            journal line(fresh, {test_directory, small_segment_bytes}, {0});
            std::atomic<int> failures = 0;
            line.start([&](const std::string&) { ++failures; });
            fresh.fail(what, nth);
            std::uint64_t before = 0;
            while (failures == 0) {
                before = line.durable().value;
                line.append(numbered(before + 1));
                line.push();
                std::this_thread::yield();
            }
            const auto last = line.durable();
            for (int i = 0; i < 20; ++i) {
                line.append(numbered(1));
                line.push();
            }
            line.stop();
            EXPECT_EQ(line.durable(), last);
            EXPECT_EQ(failures, 1);
        }
    }
}

TEST_F(JournalTest, StopsWhenTheDiskIsFull) {
    files_.limit_space(3 * small_segment_bytes);
    open_and_start();
    append_one_by_one(100);
    EXPECT_EQ(failures_, 1);
    EXPECT_THAT(failure_, HasSubstr("No space left on device"));
    expect_whole_line(*journal_);
    EXPECT_GT(journal_->durable().value, 5U);
    close();
    EXPECT_EQ(failures_, 1);
    open();
    expect_whole_line(*journal_);
}

TEST_F(JournalTest, CountsForTheMetrics) {
    open_and_start();
    append(2);
    append(1);
    const figures now = journal_->read_figures();
    EXPECT_EQ(now.records, 2U);
    EXPECT_EQ(now.promises, 3U);
    EXPECT_EQ(now.segments, 1U);
    EXPECT_EQ(now.bytes, (40U + 2 * 71 + 2) + (40 + 71 + 1));
}

TEST_F(JournalTest, InspectListsEveryPromiseAndChangesNothing) {
    open_and_start();
    append_one_by_one(30);
    close();
    const auto operations = files_.operations();
    std::uint64_t number = 0;
    const auto wrong = inspect(files_, test_directory, [&](sale::sequence at, const auto& p) {
        EXPECT_EQ(at.value, ++number);
        EXPECT_EQ(p, numbered(number));
    });
    EXPECT_THAT(wrong, testing::IsEmpty());
    EXPECT_EQ(number, 30U);
    EXPECT_EQ(files_.operations(), operations);
}

TEST_F(JournalTest, InspectNamesEachDamageAndReadsOn) {
    open_and_start();
    append_one_by_one(30);
    close();
    const auto paths = files_in(files_);
    files_.flip_bit(paths[0], 8 * 200);
    files_.flip_bit(paths[2], 8 * 300);
    std::size_t seen = 0;
    const auto wrong =
        inspect(files_, test_directory, [&](sale::sequence, const auto&) { ++seen; });
    ASSERT_EQ(wrong.size(), 2U);
    EXPECT_THAT(wrong[0], StartsWith(paths[0]));
    EXPECT_THAT(wrong[1], StartsWith(paths[2]));
    EXPECT_EQ(seen, 28U);
}

TEST_F(JournalTest, ServesAppenderCommitterAndReaderAtOnce) {
    constexpr std::uint64_t total = 5000;
    open();
    std::atomic<std::uint64_t> told = 0;
    journal_->on_durable([&] { told = journal_->durable().value; });
    start();
    std::thread appender([&] {
        for (std::uint64_t i = 1; i <= total; ++i) {
            journal_->append(numbered(i));
            if (i % 3 == 0) journal_->push();
        }
        journal_->push();
    });
    std::uint64_t number = 0;
    std::vector<sale::promise> found;
    while (number < total) {
        ASSERT_TRUE(journal_->read({number}, 100, found));
        for (const auto& p : found) ASSERT_EQ(p, numbered(++number));
        if (number % 3 == 0) journal_->entered({number});
        if (found.empty()) std::this_thread::yield();
    }
    appender.join();
    journal_->stop();
    EXPECT_EQ(told, total);
    EXPECT_EQ(failures_, 0);
}

}  // namespace
}  // namespace floodgate::journal
