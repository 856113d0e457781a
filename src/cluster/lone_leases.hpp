// The leases of a node that is alone: always held.

#pragma once

#include <mutex>

#include "cluster/lease.hpp"

namespace floodgate::cluster {

class lone_leases final : public leases {
public:
    ~lone_leases() override;
    void seek(duty d, const std::string& group) override;
    // The calls come from the caller's thread. Throws std::runtime_error when a number cannot be
    // raised: nobody else could take the duty over.
    void start() override;
    void stop() override;
    bool holds(const std::string& name) const override;
    std::vector<held_lease> held() const override;
    std::vector<std::string> nodes_alive() const override { return {"here"}; }

private:
    void stop_all();

    struct entry {
        duty what{};
        std::uint64_t number = 0;  // 0: not held
    };
    mutable std::mutex mutex_;
    std::vector<entry> duties_;
};

}  // namespace floodgate::cluster
