// The attempts to buy of one turn of a loop: gathered, judged as one batch, their verdicts told.
//
// One batch for a turn is what makes the purchase path fast: one lock at the gate, one append, one
// write to the disk for everything that came in together (docs/adr/0002).

#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "gate/turnstile.hpp"

namespace floodgate::http {

class purchase_batch {
public:
    // `wake` is called from any thread when settle() has something to tell.
    purchase_batch(gate::turnstile& gate, std::function<void()> wake)
        : lane_(gate.open_lane(std::move(wake))) {}

    void add(const sale::attempt& a) { attempts_.push_back(a); }
    bool empty() const { return attempts_.empty(); }

    // Has the gathered attempts judged and calls tell(verdict) for every verdict that may be told,
    // also of earlier batches. tell() may add: those attempts are the next batch.
    template <class Tell>
    void settle(instant now, Tell&& tell) {
        if (!attempts_.empty()) lane_->submit(attempts_, now);
        attempts_.clear();
        verdicts_.clear();
        lane_->collect(verdicts_);
        for (const sale::verdict& v : verdicts_) tell(v);
    }

    // Readable when settle() has something to tell, besides `wake`; -1: there is none. The gate in
    // this process wakes from the journal's thread and has no descriptor; the gate in Redis has one
    // already, its connection. One way for both would cost one of them a system call or a thread
    // hand-over for each batch.
    int ready_fd() const { return lane_->ready_fd(); }

private:
    std::unique_ptr<gate::lane> lane_;
    std::vector<sale::attempt> attempts_;
    std::vector<sale::verdict> verdicts_;
};

}  // namespace floodgate::http
