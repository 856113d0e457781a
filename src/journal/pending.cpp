#include "journal/pending.hpp"

#include <cstring>

namespace floodgate::journal {
namespace {

constexpr std::size_t entry_bytes = entry_header_bytes + sale::promise_bytes;
constexpr std::size_t idle_max = 2;  // further ones were made under overload and are freed

}  // namespace

pending::pending(std::size_t record_bytes, sale::sequence last)
    : batch_bytes_(record_bytes), last_(last), filling_(fresh()) {
    idle_.reserve(idle_max);
    batch second;
    second.bytes.resize(batch_bytes_);
    idle_.push_back(std::move(second));
}

// An idle batch, or a new one. All its pages are touched, so that appending never waits for memory.
batch pending::fresh() {
    batch made;
    if (!idle_.empty()) {
        made = std::move(idle_.back());
        idle_.pop_back();
    }
    made.bytes.resize(batch_bytes_);
    made.used = record_header_bytes;
    made.count = 0;
    return made;
}

sale::sequence pending::append(const sale::promise& p) {
    const sale::encoded_promise encoded = sale::encode(p);
    const std::scoped_lock held(mutex_);
    ++last_.value;
    if (discarding_) return last_;
    if (filling_.used + entry_bytes > batch_bytes_) {
        full_.push_back(std::move(filling_));
        filling_ = fresh();
    }
    if (filling_.count++ == 0) filling_.first = last_;
    std::byte* at = filling_.bytes.data() + filling_.used;
    put(at, static_cast<std::uint16_t>(encoded.size()));
    std::memcpy(at, encoded.data(), encoded.size());
    filling_.used += entry_bytes;
    return last_;
}

void pending::take(std::vector<batch>& out) {
    const std::scoped_lock held(mutex_);
    for (batch& used : out) {
        if (idle_.size() == idle_max) break;
        idle_.push_back(std::move(used));
    }
    out.clear();
    std::swap(out, full_);
    if (filling_.count == 0) return;
    out.push_back(std::move(filling_));
    filling_ = fresh();
}

void pending::discard() {
    const std::scoped_lock held(mutex_);
    discarding_ = true;
    filling_ = batch{};
    full_.clear();
    idle_.clear();
}

}  // namespace floodgate::journal
