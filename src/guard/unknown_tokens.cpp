#include "guard/unknown_tokens.hpp"

#include <cstring>
#include <utility>

namespace floodgate::guard {

std::size_t unknown_tokens::hash_bits::operator()(const sale::token_hash& hash) const noexcept {
    std::size_t bits = 0;
    std::memcpy(&bits, hash.data(), sizeof bits);
    return bits;
}

void unknown_tokens::add(const sale::token_hash& hash, instant now) {
    const std::lock_guard lock(mutex_);
    forget_the_old(now);
    newer_.insert(hash);
}

bool unknown_tokens::contains(const sale::token_hash& hash, instant now) {
    const std::lock_guard lock(mutex_);
    forget_the_old(now);
    return newer_.contains(hash) || older_.contains(hash);
}

void unknown_tokens::forget_the_old(instant now) {
    const milliseconds half = options_.remembered / 2;
    if (now >= began_ + options_.remembered || now < began_) {  // or the clock was set back
        newer_.clear();
        older_.clear();
        began_ = now;
    } else if (now >= began_ + half) {
        older_ = std::exchange(newer_, {});
        began_ += half;
    } else if (newer_.size() >= options_.max / 2) {
        older_ = std::exchange(newer_, {});
        began_ = now;
    }
}

}  // namespace floodgate::guard
