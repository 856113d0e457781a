// For tests: a node that does what it is told to, and notes what it was told.

#pragma once

#include <vector>

#include "shop/silent_node.hpp"

namespace floodgate::shop {

class noting_node final : public silent_node {
public:
    bool duty = true;
    bool rebuilds = false;  // as a cluster's node does
    std::vector<sale::sale_id> differing;
    int catalogue_changes = 0, repairs = 0;
    std::vector<sale::order_news> news;

    bool on_duty() const override { return duty; }
    void tell(std::span<const sale::order_news> told) override {
        news.insert(news.end(), told.begin(), told.end());
    }
    void book_repaired() override { ++repairs; }
    void catalogue_changed() override { ++catalogue_changes; }
    result<bool> gate_differs(sale::sale_id id) override {
        if (rebuilds) differing.push_back(id);
        return rebuilds;
    }
};

}  // namespace floodgate::shop
