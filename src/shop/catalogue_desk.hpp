// The one place where the catalogue is changed: products, rounds, sales, their states, terms and
// stock. Admins and Floodgate itself use the same verbs.
//
// Changes are made one at a time. Each takes the same steps in the same order: first the ledger,
// with the audit line in the same transaction; then the gate; then the buyers' pages on every node
// (node::catalogue_changed). If the audit line cannot be written, the change is not made. Two kinds
// of change go to the gate first:
//
// - Removing units, because the gate knows the promises that are not in the ledger yet.
// - Pausing and ending. They are the brake, which works even when the ledger does not. The gate is
//   closed at once, even while another change waits for the ledger. Then the ledger is written;
//   while that fails, step() tries again. Until it succeeds, pages and admins' lists show the old
//   state, and a restart leaves the sale as the ledger has it: open. In a cluster, Redis keeps the
//   sale closed over a restart until something loads it again, a rebuilt gate is closed again by
//   the next try, and only the node that paused a sale can resume it.
//
// Besides the errors listed, every verb gives the ledger's own errors (store_unavailable, corrupt),
// and fenced when the actor's ledger no longer belongs to this node.

#pragma once

#include <boost/json/array.hpp>

#include <atomic>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "ledger/catalogue_batch.hpp"
#include "sale/catalogue_change.hpp"
#include "shop/audit_trail.hpp"
#include "shop/node.hpp"
#include "shop/sale_brake.hpp"

namespace floodgate::shop {

using sale::product_change;
using sale::round_change;
using sale::terms_change;
struct stock_change {
    std::int64_t delta = 0;  // not 0
    std::string note{};
};

// The result of a change that the ledger has.
struct changed_round {
    sale::round round;
    boost::system::error_code gate{};  // why the gate has not followed; none: it has
};
struct changed_sale {
    sale::sale sale;
    boost::system::error_code gate{};  // as above
    bool book_pending = false;         // the brake only: the ledger will follow
};

struct warmed_sale {
    sale::sale_id id;
    boost::system::error_code why_not{};  // none: it is in the gate
};
boost::json::array to_json(const std::vector<warmed_sale>& sales);
struct warm_up_progress {
    bool running = false;
    std::int64_t total = 0, done = 0, failed = 0;
    instant started_at{};  // of the latest one; 1970: there was none
};

// Any thread, unless a function says otherwise.
class catalogue_desk {
public:
    catalogue_desk(ledger::ledger& book, gate::turnstile& gate, node& self,
                   const floodgate::clock& clock)
        : book_(book), brake_(gate), self_(self), clock_(clock) {}

    result<sale::product> add_product(const sale::product& p, const actor& by);
    // not_found
    result<sale::product> change_product(sale::product_id id, const product_change& change,
                                         const actor& by);

    // invalid: it ends before it starts.
    result<sale::round> add_round(const sale::round& r, const actor& by);
    // not_found; invalid. The new window holds for the round's sales at once.
    result<changed_round> change_round(sale::round_id id, const round_change& change,
                                       const actor& by);

    // A draft. not_found: product or round; already_exists: the product is in that round already.
    result<sale::sale> add_sale(const sale::sale& s, const actor& by);
    // not_found; conflict: the limit of a sale that is no draft can only be raised. What was
    // promised before keeps its price.
    result<changed_sale> change_terms(sale::sale_id id, const terms_change& change,
                                      const actor& by);
    // not_found; conflict: fewer units are free than are to be removed; invalid: past stock_max;
    // store_unavailable: also while the gate that should give up units is being rebuilt.
    result<changed_sale> change_stock(sale::sale_id id, const stock_change& change,
                                      const actor& by);

    // Many at once, named by their external ids: ledger/catalogue_batch.hpp. One transaction for
    // all lines, one announcement to the pages. Sales that are published or paused are then changed
    // one by one, by the rules of change_terms() and change_stock(), and drafts are published if
    // their lines say so. An error concerns all lines: nothing was written.
    result<std::vector<ledger::put_result>> put_products(std::span<const sale::product_line> lines,
                                                         const actor& by);
    result<std::vector<ledger::put_result>> put_sales(std::span<const sale::sale_line> lines,
                                                      const actor& by);

    // Moves a sale to a state. not_found; conflict: its present state does not allow it. Moving it
    // to the state it has already succeeds.
    result<changed_sale> publish(sale::sale_id id, const actor& by);  // draft -> published
    result<changed_sale> pause(sale::sale_id id, const actor& by);    // published -> paused
    // paused -> published. Takes back a pause that the ledger has not followed yet.
    result<changed_sale> resume(sale::sale_id id, const actor& by);
    result<changed_sale> end(sale::sale_id id, const actor& by);  // -> ended, for good

    // Loads the sale into the gate again, as the ledger has it. Harmless at any time. not_found;
    // conflict: it is a draft, or the gate has promised more units than the ledger has. Gets an
    // audit line only if a person asks for it.
    result<sale::sale> warm_up(sale::sale_id id, const actor& by);
    // The same for all published and paused sales. conflict: one is running already.
    result<std::vector<warmed_sale>> warm_up_all(const actor& by);
    warm_up_progress progress() const;

    // All sales, as the ledger has them now.
    result<std::vector<sale::sale>> sales();

    // The ledger has changed the sale's stock by itself: step() tells the gate and the pages. Never
    // waits. Any thread.
    void follow_stock(sale::sale_id id);

    // Writes closings that are pending to the ledger, and follows stocks. To be called often, by
    // one thread.
    void step();
    // The sale whose stock is being changed; 0: none. Until that is done, gate and ledger may
    // differ. Any thread.
    sale::sale_id changing_stock() const { return {changing_stock_}; }

private:
    result<sale::sale> find(sale::sale_id id);
    // These expect that one_at_a_time_ is locked.
    result<changed_sale> change_terms_now(sale::sale_id id, const terms_change& change,
                                          const actor& by);
    result<changed_sale> change_stock_now(sale::sale_id id, const stock_change& change,
                                          const actor& by);
    result<changed_sale> open_now(sale::sale_id id, sale::sale_state from, const char* action,
                                  const actor& by);
    void finish_line(const sale::sale_line& line, const actor& by, ledger::put_result& r);
    void change_on_sale(const sale::sale_line& line, const actor& by, ledger::put_result& r);
    void announce_batch(const actor& by, const char* action,
                        const std::vector<ledger::put_result>& done);
    ledger::catalogue_book& through(const actor& by);
    ledger::audit_line line(const actor& by, const act& done) const;
    // To be called when the ledger has the change.
    void conclude(const actor& by, const std::string& action, const std::string& subject);
    // Gives the gate's error, if there is one, and logs it.
    static boost::system::error_code why_not(const result<void>& told, const std::string& subject);
    result<void> tell_gate(sale::sale_id id);
    result<void> tell_gate_of_round(sale::round_id id);
    bool is_on_sale(const sale::sale& s) const;
    result<std::int64_t> move_stock(const sale::sale& s, const stock_change& change,
                                    const actor& by);
    result<changed_sale> open(sale::sale_id id, sale::sale_state from, const char* action,
                              const actor& by);
    result<changed_sale> close(sale::sale_id id, sale::sale_state to, const actor& by);
    result<changed_sale> follow(sale::sale_id id);
    void follow_stocks(instant now);
    changed_sale wait_for_book(const pending_closing& p);
    boost::system::error_code give_up(const sale::sale& s, const boost::system::error_code& why);
    static ledger::audit_note line_of(const pending_closing& p, const sale::sale& in_book);
    changed_sale finish(const pending_closing& p, const sale::sale& before);
    result<void> sign(const actor& by, const act& asked);
    result<void> warm_up_piece(std::span<const sale::sale_id> ids, std::vector<warmed_sale>& out);

    ledger::ledger& book_;
    sale_brake brake_;
    node& self_;
    const floodgate::clock& clock_;
    std::mutex one_at_a_time_;    // locked before the brake's own mutex
    bool in_batch_ = false;       // announcements wait for the end of it; guarded as the changes
    bool batch_changed_ = false;  // there is something to announce
    std::atomic<std::int64_t> changing_stock_{0};
    instant next_look_{}, next_stocks_{};  // of step()
    std::mutex stocks_mutex_;
    std::set<sale::sale_id> stocks_;  // to be followed; guarded by stocks_mutex_
    std::atomic<bool> warming_up_{false};
    std::atomic<std::int64_t> total_{0}, done_{0}, failed_{0}, started_ms_{0};
};

}  // namespace floodgate::shop
