// The node of the embedded mode: it is always on duty and has only its own clients to tell.

#pragma once

#include <optional>

#include "engine/local_shop.hpp"
#include "engine/order_log.hpp"
#include "shop/node.hpp"

namespace floodgate::engine {

class lone_node final : public shop::node {
public:
    // To be called once, before anything below. It comes after the constructor because the
    // storefront is built with a reference to its node.
    void join(const local_shop& here) { here_.emplace(here); }

    bool on_duty() const override { return true; }
    void tell(std::span<const sale::order_news> news) override {
        log_moves(news);
        here_->mailroom.deliver(news);
    }
    void catalogue_changed() override { show_catalogue(here_->showcase); }
    void book_repaired() override { here_->recent.forget_all(); }
    // The embedded gate cannot be rebuilt while it sells.
    result<bool> gate_differs(sale::sale_id) override { return false; }
    void access_changed() override {}
    void login_made(const sale::login& l) override { here_->sessions.add(l); }
    void login_removed(const sale::token_hash& hash) override { here_->sessions.remove(hash); }
    bool knows_more_logins() const override { return false; }
    result<guard::identity> find_login(const sale::token_hash&, instant) override {
        return make_error_code(errc::not_found);
    }

private:
    std::optional<local_shop> here_;
};

}  // namespace floodgate::engine
