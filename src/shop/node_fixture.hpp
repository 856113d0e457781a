// For tests: a node that is alone, and notes what it was told.

#pragma once

#include <vector>

#include "shop/silent_node.hpp"

namespace floodgate::shop {

class noting_node final : public silent_node {
public:
    bool rebuilds = false;  // as a cluster's node does
    std::vector<sale::sale_id> differing;
    int catalogue_changes = 0;

    void catalogue_changed() override { ++catalogue_changes; }
    result<bool> gate_differs(sale::sale_id id) override {
        if (rebuilds) differing.push_back(id);
        return rebuilds;
    }
};

}  // namespace floodgate::shop
