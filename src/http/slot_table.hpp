// A table of objects that come and go. An id is never given out twice, and a look-up is one index
// and one comparison.

#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace floodgate::http {

template <class Thing>
class slot_table {
public:
    using id_type = std::uint64_t;  // the generation of the slot, then its index

    id_type add(std::shared_ptr<Thing> thing) {
        if (free_.empty()) {
            free_.push_back(static_cast<std::uint32_t>(slots_.size()));
            slots_.emplace_back();
        }
        const std::uint32_t index = free_.back();
        free_.pop_back();
        slots_[index].thing = std::move(thing);
        ++size_;
        return static_cast<id_type>(slots_[index].generation) << 32U | index;
    }

    // Null: it was removed.
    Thing* find(id_type id) const {
        const std::size_t index = id & 0xffffffffU;
        if (index >= slots_.size()) return nullptr;
        const slot& s = slots_[index];
        return s.generation == id >> 32U ? s.thing.get() : nullptr;
    }

    // Null: it was removed before.
    std::shared_ptr<Thing> remove(id_type id) {
        if (!find(id)) return nullptr;
        const auto index = static_cast<std::uint32_t>(id & 0xffffffffU);
        ++slots_[index].generation;
        free_.push_back(index);
        --size_;
        return std::exchange(slots_[index].thing, nullptr);
    }

    // `visit` may remove its argument and add others.
    template <class Visit>
    void for_each(Visit visit) {
        for (std::size_t i = 0; i < slots_.size(); ++i)
            if (const auto thing = slots_[i].thing) visit(*thing);
    }

    std::size_t size() const { return size_; }

private:
    struct slot {
        std::shared_ptr<Thing> thing;
        std::uint32_t generation = 1;
    };
    std::vector<slot> slots_;
    std::vector<std::uint32_t> free_;
    std::size_t size_ = 0;
};

}  // namespace floodgate::http
