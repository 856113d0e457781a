// The journal: the durable line of promises of the embedded mode.
//
// append() puts a promise in memory. A thread of the journal writes everything that has gathered as
// one record and syncs it (group commit), then moves durable() and calls the listener. The format
// is in docs/journal_format.md and format.hpp.
//
// The first write or sync that fails ends acknowledgements for good: durable() never moves again,
// `on_failure` is called once with the reason, and nothing is retried.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/histogram.hpp"
#include "base/result.hpp"
#include "sale/promise_line.hpp"
#include "sale/promise_source.hpp"

namespace floodgate::store {
class file_system;
}

namespace floodgate::journal {

struct options {
    std::string directory;
    std::uint64_t segment_bytes = 64ULL << 20U;  // a segment file, preallocated and written through
};

// What the metrics show. Counted since start, except `segments`: the number of files now.
struct figures {
    std::uint64_t records = 0, promises = 0, bytes = 0, segments = 0;
    histogram::reading sync_us;  // time of each sync; there is one for each record
    histogram::reading batch;    // promises in a record
};

class journal final : public sale::promise_line, public sale::promise_source {
public:
    // Opens or creates the directory and takes its lock; syncs and checks every segment; drops a
    // torn tail (one log line). The journal must hold every promise after `entered`, the ledger's
    // position. `known_as` is the id by which the ledger knows the journal; 0: none yet. Throws
    // std::runtime_error with one clear line: locked by another process; corrupt, with file and
    // offset; a gap between `entered` and the first promise kept; no journal where the ledger had
    // one; the journal of another ledger.
    journal(store::file_system& files, options opts, sale::sequence entered,
            std::uint64_t known_as = 0);
    ~journal() override;  // stop()

    // Starts the committing thread, which calls `on_failure` at most once.
    void start(std::function<void(const std::string& reason)> on_failure);
    // Makes everything appended durable and ends the thread. Idempotent.
    void stop();
    // One step of the committing thread, taken by the caller: for a journal that was not started,
    // as in the simulation.
    void commit();

    // sale::promise_line
    sale::sequence append(const sale::promise& p) override;
    void push() override;
    sale::sequence durable() const override;  // sale::promise_source has it, too
    std::uint64_t backlog() const override;   // appended, durable or not, after the last entered()
    void on_durable(std::function<void()> told) override;

    // The id by which the ledger knows this journal. A journal gets it when it is made, or when it
    // is first opened by a version that has ids. Never 0.
    std::uint64_t id() const;

    // The last promise of the line, durable or not. Any thread.
    sale::sequence appended() const;

    // sale::promise_source. Errors: corrupt, the file no longer holds what was written;
    // store_unavailable, a read error; not_found, the promises were deleted after entered().
    result<void> read(sale::sequence after, std::size_t max,
                      std::vector<sale::promise>& out) override;
    // The ledger durably holds everything up to `position`. Segments wholly below it are deleted.
    void entered(sale::sequence position) override;

    figures read_figures() const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

// What the ledger knows of the journal that belongs to it.
struct expectation {
    sale::sequence entered{};   // the ledger's position: the journal must hold everything after it
    std::uint64_t journal = 0;  // the journal's id; 0: the ledger has none yet and accepts any
};

// For `floodgate check`, while no server runs: reads without changing anything. Gives one sentence
// for each fault; empty when all is well. A torn tail is no fault. `visit` is called with each
// sound promise. With an expectation, it also checks that the ledger's next promise is there.
// Whether the journal ends before the ledger's position is for the caller to check, who sees the
// last promise.
std::vector<std::string> inspect(
    store::file_system& files, const std::string& directory,
    const std::function<void(sale::sequence, const sale::promise&)>& visit,
    const std::optional<expectation>& of = {});

}  // namespace floodgate::journal
