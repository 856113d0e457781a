// Gathers the attempts to buy of one turn of a loop, has them judged as one batch and tells their
// verdicts.
//
// One batch for each turn makes the purchase path fast: one lock at the gate, one append and one
// write to the disk for everything that came in together (docs/adr/0002).

#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "gate/turnstile.hpp"

namespace floodgate::http {

class purchase_batch {
public:
    // `wake` is called, on any thread, when settle() has something to tell.
    purchase_batch(gate::turnstile& gate, std::function<void()> wake)
        : lane_(gate.open_lane(std::move(wake))) {}

    void add(const sale::attempt& a) { attempts_.push_back(a); }
    bool empty() const { return attempts_.empty(); }

    // Has the gathered attempts judged and calls tell(verdict) for every verdict that may be told,
    // also for those of earlier batches. Attempts that tell() adds are the next batch.
    template <class Tell>
    void settle(instant now, Tell&& tell) {
        if (!attempts_.empty()) lane_->submit(attempts_, now);
        attempts_.clear();
        verdicts_.clear();
        lane_->collect(verdicts_);
        for (const sale::verdict& v : verdicts_) tell(v);
    }

    // A descriptor that, besides `wake`, is readable when settle() has something to tell; -1: there
    // is none. The gate in this process wakes on the journal's thread and has no descriptor. The
    // gate in Redis has one already, its connection. A common way would cost one of them a system
    // call or a thread switch for each batch.
    int ready_fd() const { return lane_->ready_fd(); }

private:
    std::unique_ptr<gate::lane> lane_;
    std::vector<sale::attempt> attempts_;
    std::vector<sale::verdict> verdicts_;
};

}  // namespace floodgate::http
