// The thread that has time: makes the next segment ahead of the rush and deletes old ones after it.
// Neither is ever waited for by whoever appends or commits.

#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "journal/segment_index.hpp"
#include "journal/segment_maker.hpp"

namespace floodgate::journal {

class caretaker {
public:
    caretaker(store::file_system& files, segment_maker& maker, segment_index& index)
        : files_(files), maker_(maker), index_(index) {}
    ~caretaker() { stop(); }

    void start();
    void stop();  // finishes what it is doing

    // Whole segments at or below `position` may go.
    void trim(sale::sequence position);
    // The spare has been used, or there was none yet.
    void want_spare();

    // One round of work, on its own: what the thread does whenever it is woken.
    void work();

private:
    void run();
    void delete_below(sale::sequence position);

    store::file_system& files_;
    segment_maker& maker_;
    segment_index& index_;

    std::mutex mutex_;
    std::condition_variable changed_;
    bool woken_ = false, stopping_ = false, spare_wanted_ = false;
    sale::sequence trim_to_;
    std::thread thread_;
};

}  // namespace floodgate::journal
