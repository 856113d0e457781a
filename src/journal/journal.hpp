// The journal: the durable line of promises of the embedded mode.
//
// Append puts a promise in memory; a thread of the journal's own writes everything that has
// gathered as one record and syncs it (group commit), then moves durable() and tells. The format
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

// What the metrics show. Counted since start, but for `segments`: the files there are now.
struct figures {
    std::uint64_t records = 0, promises = 0, bytes = 0, segments = 0;
    histogram::reading sync_us;  // waiting for the disk, one for each record
    histogram::reading batch;    // promises in a record
};

class journal final : public sale::promise_line, public sale::promise_source {
public:
    // Opens or creates the directory and takes its lock; syncs and checks every segment, drops a
    // torn tail (one log line), and expects to hold everything after `entered`, the ledger's
    // position. `known_as` is the id by which the ledger knows it, 0 for none yet. Throws
    // std::runtime_error with one clear line: locked by another process; corrupt, with file and
    // offset; a gap between `entered` and the first promise kept; no journal where the ledger had
    // one, or the journal of another ledger.
    journal(store::file_system& files, options opts, sale::sequence entered,
            std::uint64_t known_as = 0);
    ~journal() override;  // stop()

    // Starts the committing thread. `on_failure` may be called from it, once.
    void start(std::function<void(const std::string& reason)> on_failure);
    // Makes what was appended durable, ends the thread. Idempotent.
    void stop();
    // What the thread does when it is pushed, done by the caller: for a journal that was not
    // started, such as a simulation's.
    void commit();

    // sale::promise_line
    sale::sequence append(const sale::promise& p) override;
    void push() override;
    sale::sequence durable() const override;  // sale::promise_source has it, too
    std::uint64_t backlog() const override;   // durable and appended, beyond the last entered()
    void on_durable(std::function<void()> told) override;

    // What the ledger shall know it by: given when it is made, or when a journal that has none yet
    // is opened. Never 0.
    std::uint64_t id() const;

    // Where the line ends, durable or not. Any thread.
    sale::sequence appended() const;

    // sale::promise_source. corrupt: the file no longer says what was written; store_unavailable: a
    // read error; not_found: they were deleted after entered().
    result<void> read(sale::sequence after, std::size_t max,
                      std::vector<sale::promise>& out) override;
    // The ledger durably holds everything up to `position`: whole segments below it are deleted.
    void entered(sale::sequence position) override;

    figures read_figures() const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

// What the ledger knows of the journal that belongs to it.
struct expectation {
    sale::sequence entered{};   // its position: everything after it must be in the journal
    std::uint64_t journal = 0;  // the journal's id; 0: it knows of none, and may get any
};

// For `floodgate check`, while no server runs: reads without changing anything. One sentence for
// each thing wrong; empty when all is well. A torn tail is no fault. `visit` sees each sound
// promise. With an expectation, also whether the ledger's next promise is there; that the journal
// ends before the ledger's position is left to the caller, which sees the last one.
std::vector<std::string> inspect(
    store::file_system& files, const std::string& directory,
    const std::function<void(sale::sequence, const sale::promise&)>& visit,
    const std::optional<expectation>& of = {});

}  // namespace floodgate::journal
