// The bytes of an answer that the client has not taken yet.
//
// Most answers are small and are copied. A page that many clients read is shared; only the position
// in it is kept for each client.

#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <sys/uio.h>

#include "api/reply.hpp"

namespace floodgate::http {

// The bytes of an answer, in order. The first and the last part are copied when they must wait.
struct shared_answer {
    std::string_view start;
    const api::shared_text& shared;
    std::string_view tail;
};

class unsent {
public:
    static constexpr std::size_t parts_max = 3;

    // Both replace what was kept before.
    void keep(std::string_view bytes);
    void keep(const shared_answer& bytes);

    // Removes bytes that were sent, from the front.
    void drop(std::size_t bytes);

    bool empty() const { return start_.size() + shared_.part.size() + tail_.size() == sent_; }
    // The rest, in order; some parts may be empty. Valid until any other function is called.
    std::array<iovec, parts_max> parts() const;

private:
    std::string start_;
    api::shared_text shared_;
    std::string tail_;
    std::size_t sent_ = 0;  // of all three
};

}  // namespace floodgate::http
