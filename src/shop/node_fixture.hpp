// For tests: a node that is alone, and notes what it was told.

#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "shop/node.hpp"

namespace floodgate::shop {

class noting_node final : public node {
public:
    bool duty = true;
    bool rebuilds = false;                  // as a cluster's node does
    std::function<void()> catalogue_shown;  // called at each change, if given
    int catalogue_changes = 0, book_repairs = 0;
    std::vector<sale::sale_id> differing;
    std::vector<sale::token_hash> logged_in, logged_out;

    bool on_duty() const override { return duty; }
    void tell(std::span<const sale::order_news> news) override {
        const std::lock_guard lock(mutex_);
        told_.insert(told_.end(), news.begin(), news.end());
    }
    void catalogue_changed() override {
        ++catalogue_changes;
        if (catalogue_shown) catalogue_shown();
    }
    void book_repaired() override { ++book_repairs; }
    result<bool> gate_differs(sale::sale_id id) override {
        if (rebuilds) differing.push_back(id);
        return rebuilds;
    }
    void login_made(const sale::login& l) override { logged_in.push_back(l.hash); }
    void login_removed(const sale::token_hash& hash) override { logged_out.push_back(hash); }
    bool knows_more_logins() const override { return false; }
    std::optional<guard::identity> find_login(std::string_view, instant) override { return {}; }

    std::vector<sale::order_news> told() const {
        const std::lock_guard lock(mutex_);
        return told_;
    }

private:
    mutable std::mutex mutex_;
    std::vector<sale::order_news> told_;
};

}  // namespace floodgate::shop
