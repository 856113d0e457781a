// Any bytes on a WebSocket, in any slices, while the server sends, closes or does nothing. In every
// case the socket must have ended exactly once after it is cut, and nothing of it may be left.
//
// The first byte chooses what the server does and when, the second how large the slices are.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "http/web_socket_pair.hpp"

namespace {

using namespace floodgate;

constexpr std::size_t choice_bytes = 2;
constexpr std::size_t slices_max = 64;

void require(bool holds) {
    if (!holds) std::abort();
}

// What the server does after a slice.
void act(push::web_socket& s, unsigned choice) {
    switch (choice % 8) {
    case 0: return s.say(std::make_shared<const std::string>("hello"));
    case 1: return s.say(std::make_shared<const std::string>(200'000, 'x'));  // more than is taken
    case 2: return s.close(push::close_code::replaced, "replaced");
    case 3: return s.cut();
    default: return;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < choice_bytes) return 0;
    std::string_view bytes(reinterpret_cast<const char*>(data) + choice_bytes, size - choice_bytes);
    http::web_socket_pair pair;
    const std::size_t slice = std::max<std::size_t>(1U + data[1], bytes.size() / slices_max + 1);
    for (unsigned n = 0; !bytes.empty(); ++n) {
        pair.send(bytes.substr(0, slice));
        bytes.remove_prefix(std::min(slice, bytes.size()));
        // Sometimes the server acts before it has read, sometimes after.
        const bool acts = n == (data[0] >> 4U);
        if (const auto s = pair.socket(); s && acts && (data[0] & 8U) != 0) act(*s, data[0]);
        pair.run();
        if (const auto s = pair.socket(); s && acts && (data[0] & 8U) == 0) act(*s, data[0]);
        if ((data[1] & 1U) != 0) (void)pair.received();
    }
    pair.run();
    if (const auto s = pair.socket()) s->cut();
    pair.run();
    require(pair.ended == 1);
    require(pair.is_freed());
    return 0;
}
