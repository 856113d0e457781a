// What a Redis server answers, as a value of our own.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

struct redisReply;

namespace floodgate::store {

struct redis_reply {
    enum class kind : std::uint8_t { nil = 1, integer, text, status, error, array };
    kind what = kind::nil;
    std::int64_t integer = 0;
    std::string text;  // of text, status and error
    std::vector<redis_reply> items;

    bool is_nil() const { return what == kind::nil; }
    bool is_error() const { return what == kind::error; }
};

// From what hiredis has read.
redis_reply to_reply(const redisReply& from);

// An integer, or a text that is one and nothing else: scripts and hashes give numbers either way.
std::optional<std::int64_t> read_number(const redis_reply& reply);
inline std::int64_t number_or_zero(const redis_reply& reply) {
    return read_number(reply).value_or(0);
}

}  // namespace floodgate::store
