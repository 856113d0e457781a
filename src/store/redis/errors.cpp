#include "store/redis/errors.hpp"

#include <algorithm>
#include <charconv>

#include "base/endpoint.hpp"

namespace floodgate::store {
namespace {

constexpr milliseconds pause{20};  // before a slot on the move is asked about again

// "MOVED SLOT HOST:PORT"; the host may be missing.
redis_error read_redirection(redis_says what, std::string_view rest, const std::string& asked) {
    redis_error out{what};
    const char* end = rest.data() + rest.size();
    const auto number = std::from_chars(rest.data(), end, out.slot);
    if (number.ec != std::errc()) return {};
    std::string to(rest.substr(rest.rfind(' ') + 1));
    if (to.rfind(':') == 0) to.insert(0, asked, 0, asked.rfind(':'));
    const auto server = endpoint_from_server(to);
    if (!server) return {};
    out.address = server->text();
    return out;
}

}  // namespace

redis_error read_redis_error(std::string_view text, const std::string& asked) {
    const std::string_view word = text.substr(0, text.find(' '));
    const std::string_view rest = text.substr(std::min(word.size() + 1, text.size()));
    if (word == "MOVED") return read_redirection(redis_says::moved, rest, asked);
    if (word == "ASK") return read_redirection(redis_says::ask, rest, asked);
    if (word == "TRYAGAIN") return {redis_says::try_again};
    if (word == "CLUSTERDOWN") return {redis_says::cluster_down};
    if (word == "READONLY") return {redis_says::read_only};
    if (word == "LOADING" || word == "MASTERDOWN" || word == "BUSY") return {redis_says::loading};
    if (word == "NOSCRIPT") return {redis_says::unknown_script};
    return {};
}

redis_step step_after(const redis_error& said, const redis_command& command, redis_sending& how,
                      bool cluster) {
    using kind = redis_step::kind;
    how.asking = said.what == redis_says::ask;
    switch (said.what) {
    case redis_says::moved:
        return {.what = cluster ? kind::send_again : kind::give_up, .look_again = cluster};
    case redis_says::ask: return {.what = kind::send_again};
    case redis_says::try_again: return {.what = kind::send_again, .pause = pause};
    case redis_says::cluster_down:
    case redis_says::read_only:
        return {.what = kind::send_again, .pause = pause, .look_again = true};
    case redis_says::loading: return {.what = kind::give_up, .look_again = cluster};
    case redis_says::unknown_script:
        if (command.script == nullptr || how.whole) return {};
        how.whole = true;
        return {.what = kind::send_again};
    case redis_says::refused: break;
    }
    return {};
}

}  // namespace floodgate::store
