// For tests that wait for another thread or process: asks every millisecond, and gives up only
// after a time so long that something must be broken.

#pragma once

#include <chrono>
#include <thread>

namespace floodgate {

template <class Condition>
bool eventually(Condition holds, std::chrono::milliseconds patience = std::chrono::seconds(30)) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (!holds()) {
        if (std::chrono::steady_clock::now() >= deadline) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

}  // namespace floodgate
