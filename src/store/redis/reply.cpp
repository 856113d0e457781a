#include "store/redis/reply.hpp"

#include <charconv>
#include <hiredis/hiredis.h>

namespace floodgate::store {

redis_reply to_reply(const redisReply& from) {
    redis_reply out;
    switch (from.type) {
    case REDIS_REPLY_INTEGER:
        out.what = redis_reply::kind::integer;
        out.integer = from.integer;
        return out;
    case REDIS_REPLY_ARRAY:
        out.what = redis_reply::kind::array;
        out.items.reserve(from.elements);
        for (std::size_t i = 0; i < from.elements; ++i)
            out.items.push_back(to_reply(*from.element[i]));
        return out;
    case REDIS_REPLY_STRING: out.what = redis_reply::kind::text; break;
    case REDIS_REPLY_STATUS: out.what = redis_reply::kind::status; break;
    case REDIS_REPLY_ERROR: out.what = redis_reply::kind::error; break;
    default: return out;  // nil
    }
    out.text.assign(from.str, from.len);
    return out;
}

std::optional<std::int64_t> read_number(const redis_reply& reply) {
    if (reply.what == redis_reply::kind::integer) return reply.integer;
    std::int64_t value = 0;
    const char* end = reply.text.data() + reply.text.size();
    const auto [stop, error] = std::from_chars(reply.text.data(), end, value);
    if (error != std::errc() || stop != end) return std::nullopt;
    return value;
}

}  // namespace floodgate::store
