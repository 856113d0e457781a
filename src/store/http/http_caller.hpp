// Asks a server over HTTP and gives its whole answer, bounded in size and time. The rules of
// http_client.hpp about addresses hold here too.

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace floodgate::store {

using http_headers = std::vector<std::pair<std::string, std::string>>;

struct http_question {
    std::string verb = "GET";
    std::string url;
    http_headers headers{};
    std::string body{};
};

struct http_answer {
    int status = 0;     // 0: there was no whole answer, and `error` says why
    std::string error;  // a few words, without the address
    http_headers headers;
    std::string body;
    // The value of the first header of this name, in any case; empty if there is none.
    std::string_view header(std::string_view name) const;
};

class http_caller {
public:
    virtual ~http_caller() = default;
    // Blocks for a bounded time. Any thread.
    virtual http_answer ask(const http_question& q) = 0;
};

struct http_caller_options {
    milliseconds connect{3000};
    milliseconds total{10'000};
    std::size_t answer_bytes_max = 1 << 20;
    bool allow_private = false;  // addresses of this machine and of private networks
};

// Keeps connections open between calls.
class curl_caller;

}  // namespace floodgate::store
