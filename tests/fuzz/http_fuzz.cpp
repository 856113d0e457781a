// Any bytes as one side of an HTTP conversation. It must neither crash nor hang, give out or buffer
// nothing beyond the limits, and find the same requests however the bytes are sliced and however
// far the peer sends ahead.
//
// The first four bytes choose the slices, how far ahead the peer sends, the limits, and how much of
// a body that is still to come is kept.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/routes.hpp"
#include "http/conversation.hpp"

namespace {

using namespace floodgate::http;
using floodgate::api::language;

constexpr std::size_t choice_bytes = 4;
constexpr http_limits small{.head_bytes_max = 256, .target_bytes_max = 64, .body_bytes_max = 128};
constexpr http_limits usual{};

void require(bool holds) {
    if (!holds) std::abort();
}

constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kept_sizes[] = {all, 0, 1, 4, 16, 64, 100, all};

struct habits {
    const http_limits& limits;
    std::size_t body_kept;  // of a body that is not here with its head
    bool gives_up;          // on a body that the client waits to send
    std::size_t slice_max;  // bytes at a time
    std::size_t ahead_max;  // slices sent while an answer is awaited
    std::uint32_t dice;     // where the next slice ends

    std::size_t next_slice(std::size_t left) {
        dice = dice * 1664525U + 1013904223U;
        return std::min<std::size_t>(left, 1 + (dice >> 16U) % slice_max);
    }
};

// Everything a handler could look at, in one line.
std::string written_out(const request& r, std::size_t body_kept) {
    std::string out = std::to_string(static_cast<int>(r.verb));
    for (const std::string_view part :
         {r.path, r.query, r.token, r.idempotency_key.value_or("no key"), r.accept_language,
          r.if_none_match, r.content_type, r.forwarded_for.value_or("no header")})
        out.append("|").append(part);
    // A longer body is there if it came in one go with its head, and only its length otherwise.
    out.append("|").append(r.body_bytes <= body_kept ? r.body : std::string_view());
    out.append("|").append(std::to_string(r.body_bytes));
    return out + (r.keep_alive ? "|keep" : "|close") + (r.is_head ? "|head" : "");
}

void check_limits(const request& r, const http_limits& limits) {
    require(r.path.starts_with('/'));
    require(r.path.find('?') == std::string_view::npos);
    require(r.path.size() + r.query.size() <= limits.target_bytes_max);
    require(r.body_bytes <=
            std::max(limits.body_bytes_max, floodgate::api::file_bytes_max(r.verb, r.path)));
    require(r.body.empty() || r.body.size() == r.body_bytes);
    require(r.path.size() + r.query.size() + r.token.size() +
                r.idempotency_key.value_or("").size() + r.accept_language.size() +
                r.if_none_match.size() + r.content_type.size() +
                r.forwarded_for.value_or("").size() <=
            limits.head_bytes_max);
    const language spoken = language_of(r.accept_language);
    require(spoken == language::en || spoken == language::zh);
}

// A head is here, its body is not. True: the request is answered without it.
bool announce(conversation& talk, const habits& peer) {
    const request announced = talk.announced();
    require(announced.path.starts_with('/'));
    require(announced.body_bytes <=
            std::max(peer.limits.body_bytes_max,
                     floodgate::api::file_bytes_max(announced.verb, announced.path)));
    talk.keep_body(peer.body_kept);
    if (!peer.gives_up || !talk.client_waits()) return false;
    talk.give_up_body();
    require(!talk.current().keep_alive);
    talk.finish();
    return true;
}

// Holds the whole conversation and gives what was understood, in order.
std::vector<std::string> hold(std::string_view bytes, habits peer) {
    conversation talk(peer.limits);
    std::vector<std::string> understood;
    bool announced = false;
    const auto send = [&] {
        const auto room = talk.room();
        require(!room.empty());
        const std::size_t size = std::min(room.size(), peer.next_slice(bytes.size()));
        std::copy_n(bytes.data(), size, room.data());
        talk.received(size);
        bytes.remove_prefix(size);
        return size;
    };
    for (;;) {
        switch (talk.next()) {
        case conversation::step::refused:
            // Only the refusal itself is compared. When and why it is refused may depend on the
            // slices: of two reasons one is seen first, and Beast waits for the end of some chunk
            // extensions that are bad already.
            require(status_of(talk.why()) >= 400 && status_of(talk.why()) < 500);
            require(!talk.detail().empty());
            return understood;
        case conversation::step::request_ready:
            check_limits(talk.current(), peer.limits);
            understood.push_back(written_out(talk.current(), peer.body_kept));
            announced = false;
            for (std::size_t i = 0; i < peer.ahead_max && !bytes.empty(); ++i) send();
            talk.finish();
            break;
        case conversation::step::need_more: {
            // A head that is not complete, or a head and a piece of framing that is not complete.
            require(talk.buffered() <= 2 * peer.limits.head_bytes_max + 8);
            if (talk.head_complete() && !std::exchange(announced, true) && announce(talk, peer))
                return understood;
            if (bytes.empty()) return understood;
            send();
            break;
        }
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < choice_bytes) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + choice_bytes,
                                 size - choice_bytes);
    const http_limits& limits = (data[3] & 1U) != 0 ? small : usual;
    const std::size_t kept = kept_sizes[data[3] >> 1U & 7U];
    const habits whole{limits, kept, false, 1U << 20U, 0, 0};
    habits in_pieces{limits, kept, false, 1U + data[0], data[1] % 8U, data[2]};
    require(hold(bytes, whole) == hold(bytes, in_pieces));
    in_pieces.gives_up = true;
    hold(bytes, in_pieces);
    return 0;
}
