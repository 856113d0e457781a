// Refusals that a node repeats without asking Redis, while a sale refuses every buyer: not started,
// paused, ended, sold out.
//
// The cache keeps a copy of such a sale's terms and, once the sale is sold out, of its buyers, who
// must still hear that they have an order or that they have to wait. A copy judges with a shelf, by
// the same rules as Redis. It is good for `max_age` after Redis was last asked whether anything has
// changed, so a lost "lifted" message delays a sale by no more than that. Attempts with an
// Idempotency-Key always go to Redis.

#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "gate/gate_keys.hpp"
#include "gate/shelf.hpp"
#include "store/redis/redis.hpp"

namespace floodgate::gate {

class refusal_cache {
public:
    refusal_cache(store::redis& redis, const gate_keys& keys, milliseconds max_age,
                  const monotonic_clock& clock)
        : redis_(redis), keys_(keys), max_age_(max_age), clock_(clock) {}

private:
    struct copy {
        shelf what;
        // The copy has the buyers, so it may say sold_out, already_ordered and cooling_down.
        bool buyers = false;
        std::string unchanged_if;  // the copy is unchanged while Redis says this
        std::atomic<moment> good_until{};
        explicit copy(const sale::sale& terms) : what(terms) {}
    };
    template <class Value>
    using by_sale = boost::unordered_flat_map<sale::sale_id, Value, spread>;
    using all = by_sale<std::shared_ptr<copy>>;

public:
    // A lane's view of the copies. Used by one thread.
    class view {
    public:
        explicit view(refusal_cache& of) : of_(of) { renew(); }
        void renew();
        // The refusal to repeat, if the cache has a good one.
        std::optional<sale::verdict> refuse(const sale::attempt& a, instant now);
        // Takes note of what Redis said. True: it was a refusal of every buyer, worth keeping.
        bool note(sale::sale_id sale, sale::answer said);

    private:
        refusal_cache& of_;
        std::shared_ptr<const all> seen_;
        std::uint64_t version_ = 0;
        moment now_{};
    };

    // Forgets the sale's copy, because units came back or its terms changed. Any thread.
    void lift(sale::sale_id sale);

    // For the turnstile's own thread, every 200 ms or when wanted(): copies the sales that were
    // noted, and asks Redis whether the copies still hold.
    void refresh();
    bool wanted() const;

private:
    struct wish {
        bool open = false;    // a copy is wanted
        bool buyers = false;  // with its buyers: Redis said sold out
        moment not_before{};
    };
    struct facts {
        sale::sale terms;
        std::int64_t taken = 0;
        bool cooling = false;          // some buyers may have to wait
        std::string of_terms, of_all;  // what Redis said, for comparison with later replies
    };

    void want(sale::sale_id sale, bool buyers);
    std::vector<std::optional<facts>> ask(const std::vector<sale::sale_id>& sales);
    std::optional<facts> ask(sale::sale_id sale);
    void check();
    void take_up();
    std::shared_ptr<copy> copy_of(sale::sale_id sale, bool buyers);
    bool load_buyers(const facts& f, shelf& into);
    bool load_cooling(const facts& f, shelf& into);
    void replace(const all& next);

    store::redis& redis_;
    const gate_keys& keys_;
    const milliseconds max_age_;
    const monotonic_clock& clock_;
    mutable std::mutex mutex_;  // guards what follows
    std::shared_ptr<const all> current_ = std::make_shared<all>();
    by_sale<wish> wishes_;
    std::uint64_t lifts_ = 0;
    std::atomic<std::uint64_t> version_ = 1;  // of current_
};

}  // namespace floodgate::gate
