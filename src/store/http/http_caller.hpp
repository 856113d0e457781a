// Asks a server over HTTP and gives its whole answer, bounded in size and time. The rules of
// http_client.hpp about addresses hold here too.

#pragma once

#include <cstddef>
#include <memory>
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
    // Blocks for a bounded time. Any thread. The server may get the question twice: if a kept
    // connection turns out to be dead, it is asked again on a new one.
    virtual http_answer ask(const http_question& q) = 0;
};

struct http_caller_options {
    milliseconds connect{3000};
    milliseconds total{10'000};
    std::size_t answer_bytes_max = std::size_t{1} << 20U;  // a longer answer is an error
    std::size_t header_bytes_max = std::size_t{1} << 16U;  // likewise
    std::size_t idle_max = 16;   // connections kept for later; more are made if need be
    bool allow_private = false;  // addresses of this machine and of private networks
};

// Over libcurl. Keeps connections open between calls. Every call in progress has a transfer of its
// own; the one that became free last is used first, so that few connections stay warm.
class curl_caller final : public http_caller {
public:
    explicit curl_caller(http_caller_options options = {});
    curl_caller(const curl_caller&) = delete;
    curl_caller& operator=(const curl_caller&) = delete;
    ~curl_caller() override;

    http_answer ask(const http_question& q) override;

private:
    struct idle_transfers;

    const http_caller_options options_;
    const std::unique_ptr<idle_transfers> idle_;
};

}  // namespace floodgate::store
