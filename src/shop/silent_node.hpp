// For tests: a node that is alone, always on duty, and tells nothing.

#pragma once

#include "shop/node.hpp"

namespace floodgate::shop {

class silent_node : public node {
public:
    bool on_duty() const override { return true; }
    void tell(std::span<const sale::order_news>) override {}
    void catalogue_changed() override {}
    void book_repaired() override {}
    result<bool> gate_differs(sale::sale_id) override { return false; }
    void access_changed() override {}
    void login_made(const sale::login&) override {}
    void login_removed(const sale::token_hash&) override {}
    bool knows_more_logins() const override { return false; }
    result<guard::identity> find_login(const sale::token_hash&, instant) override {
        return make_error_code(errc::not_found);
    }
};

}  // namespace floodgate::shop
