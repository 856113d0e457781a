// For tests: the line in memory, as the clerk reads it.

#pragma once

#include <vector>

#include "sale/line_in_memory.hpp"
#include "sale/promise_source.hpp"

namespace floodgate::shop {

class kept_source final : public sale::promise_source {
public:
    explicit kept_source(const sale::line_in_memory& line) : line_(line) {}
    result<void> read(sale::sequence after, std::size_t max,
                      std::vector<sale::promise>& out) override {
        out.clear();
        for (std::size_t i = after.value; i < line_.kept.size() && out.size() < max; ++i)
            out.push_back(line_.kept[i]);
        return {};
    }
    void entered(sale::sequence) override {}
    sale::sequence durable() const override { return line_.durable(); }

private:
    const sale::line_in_memory& line_;
};

}  // namespace floodgate::shop
