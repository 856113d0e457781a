// For tests: every implementation of the turnstile, set up the same way.

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <poll.h>
#include <string>
#include <thread>
#include <vector>

#include "base/eventually.hpp"
#include "gate/embedded_turnstile.hpp"
#include "gate/redis_turnstile.hpp"
#include "sale/line_in_memory.hpp"
#include "store/redis/redis_fixture.hpp"

namespace floodgate::gate {

inline const instant opening = from_ms(1'800'000'000'000);

inline sale::sale open_sale(std::int64_t id, std::int64_t stock, std::uint32_t limit = 1) {
    return {.id = {id},
            .price = {990},
            .price_points = {30},
            .stock = stock,
            .limit = limit,
            .state = sale::sale_state::published,
            .starts_at = opening,
            .ends_at = opening + milliseconds(60'000)};
}

inline sale::idempotency_key key_number(int n) {
    sale::idempotency_key key{};
    for (std::size_t i = 0; n > 0; n /= 256) key[i++] = static_cast<std::byte>(n % 256);
    key.back() = std::byte{1};
    return key;
}

// Submits, waits until every attempt has its verdict, and gives them in the order of the attempts.
inline std::vector<sale::verdict> ask(lane& way, std::vector<sale::attempt> attempts,
                                      instant now = opening) {
    for (std::size_t i = 0; i < attempts.size(); ++i) attempts[i].reply_to = i;
    way.submit(attempts, now);
    std::vector<sale::verdict> told;
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    way.collect(told);
    while (told.size() < attempts.size() && std::chrono::steady_clock::now() < patience) {
        pollfd watched{way.ready_fd(), POLLIN, 0};
        (void)::poll(&watched, 1, 1000);
        way.collect(told);
    }
    EXPECT_EQ(told.size(), attempts.size()) << "every attempt gets exactly one verdict";
    std::vector<sale::verdict> by_reply_to(attempts.size());
    for (const sale::verdict& v : told) by_reply_to.at(v.reply_to) = v;
    return by_reply_to;
}

// One attempt of each buyer, for sale 1.
inline std::vector<sale::attempt> attempts_of(std::int64_t first, std::int64_t last,
                                              std::uint32_t quantity = 1) {
    std::vector<sale::attempt> out;
    for (std::int64_t b = first; b <= last; ++b)
        out.push_back({.sale = {1}, .buyer = {b}, .quantity = quantity});
    return out;
}

inline std::size_t count(const std::vector<sale::verdict>& told, sale::answer a) {
    return static_cast<std::size_t>(
        std::ranges::count_if(told, [&](const sale::verdict& v) { return v.what == a; }));
}

// A turnstile with everything it needs.
class gate_world {
public:
    virtual ~gate_world() = default;
    virtual turnstile& gate() = 0;
    virtual std::vector<sale::promise> line() = 0;  // all promises, by partition
    virtual bool is_embedded() const { return false; }
};

class embedded_world final : public gate_world {
public:
    turnstile& gate() override { return gate_; }
    std::vector<sale::promise> line() override { return line_.kept; }
    bool is_embedded() const override { return true; }

private:
    sale::line_in_memory line_;
    embedded_turnstile gate_{line_, {}};
};

class redis_world final : public gate_world {
public:
    explicit redis_world(const store::redis_options& to, redis_turnstile_options options = {},
                         const monotonic_clock& clock = machine_time)
        : options_(std::move(options)), redis_(to) {
        if (options_.name == "fg") options_.name = store::random_name("gate");
        gate_ = std::make_unique<redis_turnstile>(
            redis_, options_, [this](sale::sale_id) { ++lifted; }, clock);
        for (std::uint32_t p = 0; p < options_.partitions; ++p) {
            EXPECT_TRUE(gate_->begin({p}, 1).has_value());
            EXPECT_TRUE(gate_->open({p}, 1).has_value());
        }
    }
    ~redis_world() override {
        for (std::uint32_t p = 0; p < options_.partitions; ++p) forget({p});
    }

    turnstile& gate() override { return *gate_; }
    redis_turnstile& redis_gate() { return *gate_; }
    store::redis& redis() { return redis_; }
    std::string key(sale::partition p, const std::string& what) const {
        return key_of(options_.name, p, what);
    }
    const redis_turnstile_options& options() const { return options_; }

    std::vector<sale::promise> line() override {
        std::vector<sale::promise> out;
        for (std::uint32_t p = 0; p < options_.partitions; ++p) append_line({p}, out);
        return out;
    }

    std::atomic<int> lifted = 0;

private:
    // Expects the promises to be numbered without a gap from 1 in the latest epoch.
    void append_line(sale::partition p, std::vector<sale::promise>& out) {
        const std::string line = key(p, "line");
        const auto entries = redis_.ask(line, {"XRANGE", line, "-", "+"});
        ASSERT_TRUE(entries.has_value());
        std::map<std::uint64_t, std::uint64_t> last;  // by epoch
        for (const store::redis_reply& e : entries->items) {
            const auto at = sale::parse_entry_id(e.items[0].text);
            ASSERT_TRUE(at.has_value());
            EXPECT_EQ(e.items[1].items[0].text, sale::entry_field);
            const auto promises = sale::decode_entry(e.items[1].items[1].text);
            ASSERT_TRUE(promises.has_value());
            last[at->epoch] += promises->size();
            EXPECT_EQ(at->number, last[at->epoch]);
            out.insert(out.end(), promises->begin(), promises->end());
        }
    }
    void forget(sale::partition p) {
        const std::string sales = key(p, "sales");
        const auto loaded = redis_.ask(sales, {"SMEMBERS", sales});
        if (!loaded) return;
        store::words gone{"DEL", sales, key(p, "gate"), key(p, "line"), key(p, "freed")};
        for (const store::redis_reply& id : loaded->items)
            for (const char* what : {"sale:", "buyers:", "keys:", "cooling:"})
                gone.add(key(p, what + id.text));
        (void)redis_.ask(sales, gone).has_value();
    }

    redis_turnstile_options options_;
    store::redis redis_;
    std::unique_ptr<redis_turnstile> gate_;
};

}  // namespace floodgate::gate
