#include "http/unsent.hpp"

#include <algorithm>
#include <cassert>

namespace floodgate::http {

void unsent::keep(std::string_view bytes) {
    *this = {};
    start_ = bytes;
}

void unsent::keep(const shared_answer& bytes) {
    *this = {};
    start_ = bytes.start;
    shared_ = bytes.shared;
    tail_ = bytes.tail;
}

void unsent::drop(std::size_t bytes) {
    sent_ += bytes;
    assert(sent_ <= start_.size() + shared_.part.size() + tail_.size());
    if (empty()) *this = {};  // an idle connection holds no memory of its last answer
}

std::array<iovec, unsent::parts_max> unsent::parts() const {
    std::array<iovec, parts_max> out{};
    std::size_t skip = sent_;
    const std::array<std::string_view, parts_max> all{start_, shared_.part, tail_};
    for (std::size_t i = 0; i < parts_max; ++i) {
        const std::string_view left = all[i].substr(std::min(skip, all[i].size()));
        skip -= all[i].size() - left.size();
        // The kernel only reads from it.
        out[i] = {const_cast<char*>(left.data()), left.size()};  // NOLINT(*-const-cast)
    }
    return out;
}

}  // namespace floodgate::http
