#include "cluster/lone_leases.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace floodgate::cluster {

lone_leases::~lone_leases() { stop_all(); }

void lone_leases::seek(duty d, const std::string& /*group*/) {
    const std::lock_guard lock(mutex_);
    duties_.push_back({std::move(d)});
}

void lone_leases::start() {
    for (std::size_t i = 0; i < duties_.size(); ++i) {
        const duty& what = duties_[i].what;
        const auto number = what.raise();
        if (!number)
            throw std::runtime_error("cannot take up '" + what.name +
                                     "': " + number.error().message());
        {
            const std::lock_guard lock(mutex_);
            duties_[i].number = *number;
        }
        what.gained(*number);
    }
}

void lone_leases::stop() { stop_all(); }

void lone_leases::stop_all() {
    for (entry& e : duties_) {
        {
            const std::lock_guard lock(mutex_);
            if (std::exchange(e.number, 0) == 0) continue;
        }
        e.what.lost();
    }
}

bool lone_leases::holds(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    return std::any_of(duties_.begin(), duties_.end(),
                       [&](const entry& e) { return e.number != 0 && e.what.name == name; });
}

std::vector<held_lease> lone_leases::held() const {
    const std::lock_guard lock(mutex_);
    std::vector<held_lease> out;
    for (const entry& e : duties_)
        if (e.number != 0) out.push_back({e.what.name, e.number});
    return out;
}

}  // namespace floodgate::cluster
