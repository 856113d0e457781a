#include "journal/caretaker.hpp"

#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "journal/segment_name.hpp"

namespace floodgate::journal {

void caretaker::trim(sale::sequence position) {
    {
        const std::scoped_lock held(mutex_);
        trim_to_ = std::max(trim_to_, position);
    }
    task_.wake();
}

void caretaker::want_spare() {
    {
        const std::scoped_lock held(mutex_);
        spare_wanted_ = true;
    }
    task_.wake();
}

bool caretaker::work() {
    sale::sequence position;
    bool spare = false;
    {
        const std::scoped_lock held(mutex_);
        position = trim_to_;
        spare = std::exchange(spare_wanted_, false);
    }
    // Delete first: this may make the room that the spare needs.
    delete_below(position);
    if (!spare) return true;
    if (const auto made = maker_.prepare_spare(); !made) {
        spare_.failed(made.error().message());
        // Do not try again on a full disk: it would only be filled again.
        if (!out_of_descriptors(made.error())) return true;
        const std::scoped_lock held(mutex_);
        spare_wanted_ = true;
        return false;
    }
    spare_.succeeded();
    return true;
}

// Deletes the oldest first and syncs each before the next: a crash must not leave a hole in the
// line.
void caretaker::delete_below(sale::sequence position) {
    while (const auto oldest = index_.oldest_below(position)) {
        const std::string path = maker_.path_of(segment_name(*oldest));
        index_.drop(*oldest);
        auto removed = files_.remove(path);
        if (removed) removed = files_.sync_directory(maker_.directory());
        if (removed) continue;
        log::warning("journal.trim_failed", "file", path, "reason", removed.error().message());
        return;
    }
}

}  // namespace floodgate::journal
