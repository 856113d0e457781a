// How servers that share a secret sign the messages that they send each other over HTTP:
//
//   Floodgate-Timestamp: 1800000000
//   Floodgate-Signature: v1=<hex HMAC-SHA256 of "1800000000.<body>" under the secret>
//
// The alert webhook (alarm/webhook.hpp) and the shop's own checkout (pay/external_channel.hpp) use
// it. A receiver that gets messages from both sides of one secret must tell them apart by their
// bodies, because a message proves only that one of the two has signed it.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace floodgate::store {

inline constexpr const char* timestamp_header = "Floodgate-Timestamp";
inline constexpr const char* signature_header = "Floodgate-Signature";

// How far the sender's clock may be from ours, in either direction.
inline constexpr milliseconds signature_window = std::chrono::minutes(5);

// 64 lower-case digits. Secrets of any length.
std::string hmac_sha256_hex(std::string_view secret, std::string_view text);

// The values of the two headers.
std::string message_timestamp(instant now);
std::string message_signature(std::string_view secret, std::string_view timestamp,
                              std::string_view body);

// As they came.
struct message_seal {
    std::string_view timestamp, signature;
};

enum class seal_check : std::uint8_t {
    good = 1,
    absent,     // one of the headers is missing or empty
    malformed,  // the timestamp is not one
    stale,      // it is outside signature_window
    bad,
};
// Takes the same time wherever the signature differs.
seal_check check_seal(std::string_view secret, const message_seal& seal, std::string_view body,
                      instant now);

}  // namespace floodgate::store
