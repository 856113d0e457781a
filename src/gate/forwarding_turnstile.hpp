// A turnstile that hands every call on to another one. A class that changes a few of the calls
// derives from it and overrides those.

#pragma once

#include <utility>

#include "gate/turnstile.hpp"

namespace floodgate::gate {

class forwarding_turnstile : public turnstile {
public:
    explicit forwarding_turnstile(turnstile& inner) : inner_(inner) {}

    std::unique_ptr<lane> open_lane(std::function<void()> wake) override {
        return inner_.open_lane(std::move(wake));
    }
    result<void> warm_up(const sale::sale& s) override { return inner_.warm_up(s); }
    result<void> forget(const sale::sale& s) override { return inner_.forget(s); }
    using turnstile::release;
    void release(const returned& r) override { inner_.release(r); }
    void release_all(std::span<const returned> orders) override { inner_.release_all(orders); }
    std::optional<standing> look_up(sale::sale_id id) override { return inner_.look_up(id); }
    std::vector<std::optional<standing>> look_up_all(std::span<const sale::sale_id> ids) override {
        return inner_.look_up_all(ids);
    }
    std::vector<promised> promised_to(sale::user_id buyer) override {
        return inner_.promised_to(buyer);
    }
    std::vector<held_unit> held_in(sale::sale_id id) override { return inner_.held_in(id); }
    result<void> retake(const sale::promise& p) override { return inner_.retake(p); }

protected:
    turnstile& inner_;
};

}  // namespace floodgate::gate
