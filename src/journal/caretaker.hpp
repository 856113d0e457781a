// The thread for slow work: it makes the next segment ahead of time and deletes old ones. Appending
// and committing never wait for it.

#pragma once

#include <mutex>

#include "base/failure_log.hpp"
#include "base/periodic_task.hpp"
#include "journal/segment_index.hpp"
#include "journal/segment_maker.hpp"

namespace floodgate::journal {

class caretaker {
public:
    caretaker(store::file_system& files, segment_maker& maker, segment_index& index)
        : files_(files), maker_(maker), index_(index) {}

    void start() { task_.start(); }
    void stop() { task_.stop(); }  // after the current round of work

    // Segments that lie wholly at or below `position` may be deleted.
    void trim(sale::sequence position);
    // To be called when the spare has been used, or when there is none yet.
    void want_spare();

    // One round of work: what the thread does whenever it is woken. False: there was no file
    // descriptor for the spare, which is still wanted.
    bool work();

private:
    void delete_below(sale::sequence position);

    store::file_system& files_;
    segment_maker& maker_;
    segment_index& index_;

    std::mutex mutex_;
    bool spare_wanted_ = false;  // guarded by mutex_
    sale::sequence trim_to_;     // guarded by mutex_
    // A failure is not fatal: the writer makes a segment itself when it needs one. If that fails,
    // the journal has failed.
    failure_log spare_{log::level::warning, "journal.spare", "directory", maker_.directory()};
    static constexpr milliseconds try_again{1000};
    periodic_task task_{"journal care", try_again, [this] {
                            return work() ? next_step::when_woken() : next_step::after_interval();
                        }};
};

}  // namespace floodgate::journal
