// Promise 4 of the design: what was acknowledged is not lost. In short histories the power fails at
// every operation, with every outcome for the bytes not yet synced; in long histories at random
// operations.

#include <gtest/gtest.h>

#include <random>

#include "base/log.hpp"
#include "journal/hand_line.hpp"

namespace floodgate::journal {
namespace {

using store::chooser;
using store::every_choice;
using store::simulated_files;

// These tests drop thousands of torn tails, so the log lines are switched off.
class quiet final : public testing::Environment {
public:
    void SetUp() override { log::start(log::level::error); }
    void TearDown() override { log::stop(); }
};
[[maybe_unused]] const auto* const hushed = testing::AddGlobalTestEnvironment(new quiet);

// What the world outside knows of the line.
struct witness {
    std::vector<sale::promise> appended;  // in order; may be lost from `announced` on
    std::uint64_t announced = 0;          // the highest that durable() has announced
    std::uint64_t entered = 0;            // up to here the ledger holds the promises
    std::uint64_t generation = 0;         // makes every promise different

    sale::promise next() {
        sale::promise p = numbered(appended.size() + 1);
        p.unit_points = {static_cast<std::int64_t>(++generation)};
        appended.push_back(p);
        return p;
    }

    // Opens after a crash and expects that every announced promise is there, that nothing is there
    // that was not appended, in order and without a gap, and that the line goes on.
    void examine(simulated_files& files) {
        journal opened(files, {test_directory, hand_line::segment_bytes}, {entered});
        const std::uint64_t found = opened.durable().value;
        ASSERT_GE(found, announced) << "an acknowledged promise is lost";
        ASSERT_LE(found, appended.size()) << "a promise nobody made";
        std::vector<sale::promise> line;
        for (std::uint64_t at = entered; at < found; at += line.size()) {
            ASSERT_TRUE(opened.read({at}, 3, line)) << "after " << at;
            ASSERT_FALSE(line.empty());
            for (std::size_t i = 0; i < line.size(); ++i)
                ASSERT_EQ(line[i], appended[at + i]) << "at " << at + i + 1;
        }
        appended.resize(found);
        announced = found;
    }
};

// A history is a list of batch sizes: that many promises are appended, then committed.
using history = std::vector<unsigned>;

// Runs a history until its end or until the power fails. False: it ended.
bool power_fails_during(simulated_files& files, const history& batches, witness& seen) {
    try {
        hand_line line(files, {seen.entered});
        seen.announced = std::max(seen.announced, line.durable().value);
        for (const unsigned promises : batches) {
            for (unsigned i = 0; i < promises; ++i) line.append(seen.next());
            const bool fine = line.commit();
            seen.announced = std::max(seen.announced, line.durable().value);
            if (!fine) return true;
        }
        return !line.seal();
    } catch (const std::runtime_error&) {
        return true;
    }
}

void crash_in_every_way(const simulated_files& before, const witness& seen,
                        const std::function<void(simulated_files&, witness)>& then) {
    every_choice choices;
    do {
        simulated_files after(before);
        after.crash(choices.as_chooser());
        then(after, seen);
        if (testing::Test::HasFatalFailure()) return;
    } while (choices.next());
}

// For each operation of the history, visits the state after a power failure at that operation.
void cut_at_every_operation(const history& batches,
                            const std::function<void(simulated_files&, witness)>& then) {
    bool cut = true;
    for (std::uint64_t at = 1; cut; ++at) {
        SCOPED_TRACE(testing::Message() << "power cut at operation " << at);
        simulated_files files;
        files.cut_power_at(at);
        witness seen;
        cut = power_fails_during(files, batches, seen);
        then(files, seen);
        if (testing::Test::HasFatalFailure()) return;
    }
}

class CrashTest : public testing::TestWithParam<history> {};

TEST_P(CrashTest, LosesNothingAcknowledgedWhereverThePowerFails) {
    cut_at_every_operation(GetParam(), [](simulated_files& files, const witness& seen) {
        crash_in_every_way(files, seen, [](simulated_files& after, witness known) {
            known.examine(after);
            if (HasFatalFailure()) return;
            ASSERT_FALSE(power_fails_during(after, {2, 9}, known)) << "the line does not go on";
            known.examine(after);
        });
    });
}

// The process dies first and the machine later. A restart in between finds bytes in the cache; they
// must be on disk before it announces them or writes after them.
TEST_P(CrashTest, AnnouncesNothingFromTheCacheAlone) {
    for (const history& later : {history{}, history{1}}) {
        cut_at_every_operation(GetParam(), [&](simulated_files& files, witness seen) {
            files.kill();
            seen.examine(files);
            ASSERT_FALSE(power_fails_during(files, later, seen));
            crash_in_every_way(files, seen,
                               [](simulated_files& after, witness known) { known.examine(after); });
        });
    }
}

INSTANTIATE_TEST_SUITE_P(Histories, CrashTest,
                         testing::Values(history{}, history{1}, history{1, 1}, history{3, 1, 2},
                                         history{4, 4, 4}, history{9}, history{10, 11}),
                         [](const auto& about) {
                             std::string name = "Of";
                             for (const unsigned promises : about.param)
                                 name += "_" + std::to_string(promises);
                             return name;
                         });

TEST(CrashInRecovery, LosesNothingWhereverThePowerFailsAgain) {
    cut_at_every_operation({2, 3}, [](simulated_files& files, const witness& seen) {
        crash_in_every_way(files, seen, [](simulated_files& after, const witness& known) {
            bool cut = true;
            for (std::uint64_t at = 1; cut; ++at) {
                simulated_files again(after);
                again.cut_power_at(at);
                witness once_more = known;
                cut = power_fails_during(again, {}, once_more);
                crash_in_every_way(again, once_more, [](simulated_files& last, witness at_last) {
                    at_last.examine(last);
                });
                if (testing::Test::HasFatalFailure()) return;
            }
        });
    });
}

// After a failed sync Linux drops the unwritten bytes from its list, still shows them in the cache
// and reports success for the next sync. A process that restarts on such a cache must write again.
TEST(FailedSync, IsNotForgottenByTheNextProcess) {
    for (std::uint64_t nth = 1; nth <= 12; ++nth) {
        simulated_files files;
        files.fail(simulated_files::operation::sync, nth);
        witness seen;
        power_fails_during(files, {1, 2, 8, 1}, seen);
        files.kill();
        seen.examine(files);
        crash_in_every_way(files, seen,
                           [](simulated_files& after, witness known) { known.examine(after); });
    }
}

class long_history {
public:
    explicit long_history(std::uint64_t seed)
        : random_(seed), crashes_(store::seeded_choices(seed)) {}

    // A few lives of a journal, each ended by a power cut, a killed process or an orderly stop.
    void run() {
        for (int life = 0; life < 12; ++life) {
            if (pick(4) != 0) files_.cut_power_at(1 + pick(60));
            live();
            if (pick(5) == 0) files_.kill();
            files_.crash(crashes_);
            seen_.examine(files_);
            if (testing::Test::HasFatalFailure()) return;
            files_.crash(crashes_);
        }
    }

private:
    std::uint64_t pick(std::uint64_t options) { return random_() % options; }

    void live() try {
        hand_line line(files_, {seen_.entered});
        announce(line);
        for (int step = 0; step < 30; ++step) {
            if (pick(4) == 0) line.prepare_spare();
            const std::uint64_t promises = pick(12);
            for (std::uint64_t i = 0; i < promises; ++i) line.append(seen_.next());
            const bool fine = line.commit();
            announce(line);
            if (!fine) return;
            if (pick(6) != 0) continue;
            seen_.entered += pick(seen_.announced - seen_.entered + 1);
            line.trim({seen_.entered});
        }
        line.seal();
    } catch (const std::runtime_error&) {
        // The power failed while the journal was being opened.
    }
    void announce(const hand_line& line) {
        seen_.announced = std::max(seen_.announced, line.durable().value);
    }

    std::mt19937_64 random_;
    chooser crashes_;
    simulated_files files_;
    witness seen_;
};

TEST(LongHistories, LoseNothingAcknowledged) {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        long_history(seed).run();
        if (HasFatalFailure()) return;
    }
}

}  // namespace
}  // namespace floodgate::journal
