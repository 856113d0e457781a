// Writes the line of promises: appends in memory, and has a commit step that one thread at a time
// may take at any moment. The committing thread of journal.cpp does nothing else.
//
// A record is one write and one sync. The next record is written only after the sync, so a crash
// can tear at most one record.

#pragma once

#include <atomic>
#include <functional>

#include "journal/journal.hpp"
#include "journal/pending.hpp"
#include "journal/segment_index.hpp"
#include "journal/segment_maker.hpp"

namespace floodgate::journal {

// Where the line ends, as recovery has found or made it.
struct line_end {
    std::unique_ptr<store::file> file;
    sale::sequence segment;  // named by its first promise
    std::uint64_t segment_bytes = 0;
    std::uint64_t offset = 0;  // of the next record
    std::uint32_t previous_crc = 0;
    sale::sequence last;  // the last promise in the line
    bool sealed = true;   // no promise follows the last seal or header
};

class writer {
public:
    writer(segment_maker& maker, segment_index& index, line_end end, std::uint64_t segment_bytes);

    sale::sequence append(const sale::promise& p);  // one caller at a time

    // Makes everything appended so far durable and calls `told` after each record. False when this
    // or an earlier step failed: nothing is written after a failure. One caller at a time.
    bool commit(const std::function<void()>& told);

    // Writes a closing record unless there is one. It shows that everything before it was durable,
    // so that damage there cannot be mistaken for a torn tail. Same caller and same result as
    // commit().
    bool seal();

    // Any thread.
    sale::sequence durable() const { return {durable_.load(std::memory_order_acquire)}; }
    sale::sequence appended() const { return {appended_.load(std::memory_order_relaxed)}; }
    figures read_figures() const;

    // Why a step failed; empty if none did. For the committing thread.
    const std::string& failure() const { return failure_; }

private:
    bool write_record(std::span<std::byte> record, record_header header);
    bool begin_segment(sale::sequence first);
    bool sync();
    bool fail(std::string_view doing, const boost::system::error_code& why);

    segment_maker& maker_;
    segment_index& index_;
    line_end end_;
    pending pending_;
    std::vector<batch> taken_;
    std::string failure_;
    std::atomic<std::uint64_t> durable_, appended_;

    struct {
        std::atomic<std::uint64_t> records, promises, bytes;
    } counted_{};
    histogram sync_us_{50, 100, 200, 500, 1000, 2000, 5000, 10'000, 50'000, 200'000, 1'000'000};
    histogram batch_{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10'000};
};

}  // namespace floodgate::journal
