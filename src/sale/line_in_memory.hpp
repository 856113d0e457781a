// For tests: a line of promises in which everything is durable at once.

#pragma once

#include <atomic>
#include <vector>

#include "sale/promise_line.hpp"

namespace floodgate::sale {

class line_in_memory final : public promise_line {
public:
    sequence append(const promise& p) override {
        kept.push_back(p);
        count_ = kept.size();
        return {kept.size()};
    }
    void push() override {}
    sequence durable() const override { return {count_}; }
    std::uint64_t backlog() const override { return 0; }
    void on_durable(std::function<void()>) override {}

    std::vector<promise> kept;  // read it only while nothing is appended

private:
    std::atomic<std::uint64_t> count_{0};
};

}  // namespace floodgate::sale
