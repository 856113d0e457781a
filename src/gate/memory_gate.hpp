// For tests: a gate that only remembers what it was asked to release.

#pragma once

#include <memory>
#include <vector>

#include "gate/turnstile.hpp"

namespace floodgate::gate {

struct memory_gate : turnstile {
    std::vector<sale::order_no> released;

    std::vector<cool_down> waits;            // the cool-down of each release
    std::vector<std::int64_t> withdrawn_at;  // of each release

    using turnstile::release;
    void release(const returned& r) override {
        released.push_back(r.order);
        waits.push_back(r.wait);
        withdrawn_at.push_back(r.withdrawn_at);
    }
    std::unique_ptr<lane> open_lane(std::function<void()>) override { return nullptr; }
    result<void> warm_up(const sale::sale&) override { return {}; }
    result<void> forget(const sale::sale&) override { return {}; }
    std::optional<standing> look_up(sale::sale_id) override { return std::nullopt; }
    std::vector<promised> promised_to(sale::user_id) override { return {}; }
    std::vector<held_unit> held_in(sale::sale_id) override { return {}; }
    result<void> retake(const sale::promise&) override { return {}; }
};

}  // namespace floodgate::gate
