// One connection's side of HTTP/1.1, without the connection: bytes in, requests out.
//
// It has no socket and no clock, so a fuzzer or a test can hold any conversation. Requests are
// handed out one at a time; pipelined requests wait in the buffer until the present one is
// finished.
//
// The following are refused with a problem, and the connection is closed: everything that Beast's
// parser does not accept as HTTP/1.x, Content-Length together with Transfer-Encoding, more than one
// Content-Length, a Transfer-Encoding other than `chunked`, more than one Host or none, more than
// one Idempotency-Key, obsolete line folding, a target that is neither a path nor an http address,
// an `Expect` other than 100-continue, and heads, bodies and chunk framing beyond the limits.

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/call.hpp"
#include "api/reply.hpp"
#include "http/server_options.hpp"

namespace floodgate::http {

// The headers with which a payment channel signs a message of its own.
struct seal_headers {
    std::string_view timestamp, nonce, signature, serial;
};

// A whole request. The views are valid until conversation::room() or finish().
struct request {
    api::verb verb = api::verb::other;
    std::string_view path;
    std::string_view query;
    std::string_view token;                           // from `Authorization: Bearer` or `token`
    std::optional<std::string_view> idempotency_key;  // empty: sent without a value
    std::string_view accept_language;
    std::string_view accept_encoding;
    std::string_view origin;  // of the page that sent it; empty: not sent by a page
    std::string_view if_none_match;
    std::string_view request_id;  // X-Request-Id, if it is short and plain; otherwise empty
    std::string_view content_type;
    std::optional<std::string_view> forwarded_for;  // several lines are one list; may be empty
    seal_headers wechat{};                          // Wechatpay-...
    seal_headers floodgate{};                       // Floodgate-...: the shop's own checkout
    std::string_view body;       // empty also when it was longer than what was to be kept
    std::size_t body_bytes = 0;  // how long it was
    bool keep_alive = true;
    bool is_head = false;
    bool is_options = false;
};

class conversation {
public:
    explicit conversation(const http_limits& limits);
    ~conversation();

    // Where the next bytes from the peer go; received() says how many came.
    std::span<char> room();
    void received(std::size_t bytes);

    enum class step { need_more = 1, request_ready, refused };

    // Looks at the bytes that have come. After request_ready see current(), after refused why().
    step next();
    const request& current() const { return current_; }
    api::problem why() const { return why_; }
    std::string_view detail() const { return detail_; }

    // While the head is complete and the body is not: the request without its body, and whether the
    // client waits for `100 Continue` before it sends the body.
    request announced() const;
    bool client_waits() const;
    // How many bytes of the body are needed. Of a longer body only the length is kept. Without this
    // call, POST and PUT keep as much as the limits allow, and other methods nothing.
    void keep_body(std::size_t bytes_max);
    // Makes the announced request current() without its body: the client gets the answer instead of
    // `100 Continue`. No other request can follow on this connection.
    void give_up_body();

    // Forgets current(), so that the next request can be read.
    void finish();

    // Whether part of a request has come. If not, the connection may be closed without an answer.
    bool in_the_middle() const { return used_ > 0; }
    std::size_t buffered() const { return used_; }
    // The head of current(), as it came; and whether anything came after current().
    std::string_view head() const { return {buffer_.data(), parsed_}; }
    bool something_follows() const { return used_ > parsed_; }
    // Whether the head of the present request is complete.
    bool head_complete() const;

private:
    class reader;

    step read_head();
    step read_body();
    step refuse(api::problem p, std::string_view detail);
    step refuse_body(std::size_t allowed);

    const http_limits& limits_;
    std::string buffer_;  // [0, used_) came from the client and is still needed
    std::size_t used_ = 0;
    std::size_t parsed_ = 0;  // of it, what the reader has taken
    std::unique_ptr<reader> reader_;
    request current_;
    api::problem why_{};
    std::string detail_;
};

api::language language_of(std::string_view accept_language);

}  // namespace floodgate::http
