// The clerk: follows the journal and enters orders in the ledger, on a thread of its own.
//
// It must not take the core from the gate. It pauses during a rush and catches up afterwards. It
// works in large batches, and while it is in the ledger it runs only when no other thread wants the
// core. When promises have waited too long, the backlog is too large, or others wait for the
// ledger, it takes its share of the core (pace.hpp decides, a second small thread applies it).

#pragma once

#include <functional>
#include <string>

#include "base/periodic_task.hpp"
#include "clerk/desk.hpp"
#include "clerk/worker_priority.hpp"

namespace floodgate::clerk {

// Called once, on the clerk's thread, when nothing more can be entered. Must be quick and must not
// throw.
using fatal_handler = std::function<void(const std::string& reason)>;

class clerk {
public:
    // `entered` is the ledger's position, with which the journal was opened. Everything that `w`
    // refers to must outlive the clerk.
    clerk(const desk::world& w, const options& o, sale::sequence entered, fatal_handler on_fatal);
    ~clerk();  // stop()

    void start();
    // Finishes the current batch and enters durable promises for at most `drain`, unless the ledger
    // is failing. Idempotent. The rest stays in the journal and is entered after the next start.
    void stop();

    // Tells the clerk that there may be new promises. Costs next to nothing while the clerk is at
    // work. Not required: the clerk also looks every `poll`.
    void notify() { worker_.wake(); }

    // Any thread.
    figures read_figures() const { return desk_.read_figures(); }
    sale::sequence position() const { return desk_.position(); }

private:
    // Lowers the clerk's priority only while a batch is being entered, which takes long. While the
    // clerk holds locks of the gate or the journal, event loops may wait for it.
    class patient_sink final : public order_sink {
    public:
        patient_sink(order_sink& inner, worker_priority& p) : inner_(inner), priority_(p) {}
        result<ledger::entry_report> enter(std::span<const sale::promise> batch,
                                           sale::sequence last) override;
        result<void> put_aside(const sale::promise& p, sale::sequence last,
                               const ledger::setback& why) override {
            return inner_.put_aside(p, last, why);
        }
        result<void> probe() override { return inner_.probe(); }
        result<sale::order> find(sale::order_no no) override { return inner_.find(no); }
        bool holds_others_up() override { return inner_.holds_others_up(); }

    private:
        order_sink& inner_;
        worker_priority& priority_;
    };

    next_step work();
    next_step enter_some();
    outcome step();
    milliseconds ceiling_wait() const;
    next_step end_with(const std::string& reason);
    bool stands_aside();
    void drain();
    void oversee();

    const options options_;
    const fatal_handler on_fatal_;
    worker_priority priority_;
    patient_sink sink_;
    desk desk_;
    sale::promise_source& line_;
    rush_sense rush_;
    bool pressed_ = false;
    bool adopted_ = false;              // priority_ knows the worker; used by the worker only
    priority granted_ = priority::low;  // used by the overseer only
    periodic_task worker_, overseer_;
};

}  // namespace floodgate::clerk
