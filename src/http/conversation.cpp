#include "http/conversation.hpp"

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>
#include <optional>

#include "api/routes.hpp"
#include "http/request_id.hpp"
#include "http/request_target.hpp"
#include "http/request_verb.hpp"

namespace floodgate::http {
namespace {

namespace http = boost::beast::http;
using boost::beast::iequals;

constexpr std::size_t read_bytes = 4096;
constexpr boost::beast::string_view wechat_prefix = "wechatpay-", own_prefix = "floodgate-";

// "0\r\n\r\n": the least with which a chunked body ends. Beast 1.81 asserts that this much is there
// when it looks at an unfinished chunk header again, so without waiting for it, four bytes from any
// client would stop the server; http_fuzz found it.
constexpr std::size_t last_chunk_bytes = 5;

}  // namespace

// Beast's parser, which keeps only what is used here. It reads complete heads only, so every field
// lies in the buffer; obsolete line folding, which Beast would copy, is refused.
class conversation::reader final : public http::basic_parser<true> {
public:
    reader(const char* base, const http_limits& limits)
        : body_bytes_max(limits.body_bytes_max), base_(base), limits_(limits) {
        header_limit(static_cast<std::uint32_t>(limits.head_bytes_max) + 8);
    }

    // Where the buffer is now, and how long its used part is.
    void look_at(const char* base, std::size_t used) {
        base_ = base;
        used_ = used;
    }
    request view() const;
    bool version_is_11() const { return is_11_; }

    // To be called before every put(), with the beginning of its bytes. Earlier bytes are body, or
    // complete framing.
    void feed_from(const char* at) { framing_ = at; }
    // The length of the chunk header or trailer that ends at `at`.
    std::size_t framing_until(const char* at) const {
        return static_cast<std::size_t>(at - framing_);
    }

    std::size_t body_bytes_max;
    bool too_long_target = false;
    bool expects_continue = false;
    bool expects_something_else = false;
    int hosts = 0;
    int lengths = 0;
    int keys = 0;
    int encodings = 0;  // Transfer-Encoding: only `chunked`, alone, is understood
    bool inside_a_chunk_header = false;

    void keep_body(std::size_t bytes_max) {
        kept_max_ = std::min(kept_max_, bytes_max);
        take({});
    }
    // The bytes that have come, or those that were announced.
    std::size_t body_bytes() const {
        const auto announced = content_length();
        return announced ? static_cast<std::size_t>(*announced) : came_;
    }

private:
    using string_view = boost::beast::string_view;
    using error = boost::beast::error_code;

    // A piece of the buffer, by position, because the buffer may move while a body comes in.
    struct slice {
        std::size_t at = 0;
        std::size_t size = 0;
    };
    struct seal {
        slice timestamp, nonce, signature, serial;
    };

    bool is_here(string_view text) const {
        return text.data() >= base_ && text.data() + text.size() <= base_ + used_;
    }
    // Whether the value extends over several lines. Beast then gives a copy, or a value that begins
    // on the line after its name.
    bool is_folded(string_view name, string_view value) const {
        return !is_here(value) || std::find(name.end(), value.begin(), '\n') != value.begin();
    }
    slice place(string_view text) const {
        assert(is_here(text));
        return {static_cast<std::size_t>(text.data() - base_), text.size()};
    }
    std::string_view at(slice s) const { return {base_ + s.at, s.size}; }
    seal_headers at(const seal& s) const {
        return {at(s.timestamp), at(s.nonce), at(s.signature), at(s.serial)};
    }
    void on_field(http::field name, string_view value, string_view name_text);
    void on_seal_field(seal& of, string_view name, string_view value) const;
    void add_forwarded(string_view value);
    std::optional<std::string_view> forwarded_for() const;

    void on_request_impl(http::verb v, string_view, string_view target, int version,
                         error& ec) override {
        verb_ = verb_of(v);
        is_11_ = version >= 11;
        is_head_ = v == http::verb::head;
        is_options_ = v == http::verb::options;
        too_long_target = target.size() > limits_.target_bytes_max;
        // Only POST and PUT calls look at a body.
        if (verb_ != api::verb::post && verb_ != api::verb::put) kept_max_ = 0;
        const auto parts = split_target(target);
        if (!parts) {
            ec = http::error::bad_target;
            return;
        }
        path_ = place(parts->path);
        if (verb_ == api::verb::post || verb_ == api::verb::put)
            body_bytes_max = std::max(body_bytes_max, api::file_bytes_max(verb_, parts->path));
        body_limit(body_bytes_max);
        if (!parts->query.empty()) query_ = place(parts->query);
    }
    void on_response_impl(int, string_view, int, error&) override { assert(false); }
    void on_field_impl(http::field name, string_view name_text, string_view value,
                       error& ec) override {
        if (in_trailer_) return;
        if (is_folded(name_text, value)) {
            ec = http::error::bad_obs_fold;
        } else {
            on_field(name, value, name_text);
        }
    }
    void on_header_impl(error&) override { in_trailer_ = true; }
    void on_body_init_impl(const boost::optional<std::uint64_t>&, error&) override {}
    std::size_t on_body_impl(string_view part, error&) override {
        take(part);
        return part.size();
    }
    void on_chunk_header_impl(std::uint64_t, string_view extension, error& ec) override {
        const char* end = extension.data() + extension.size() + 2;  // and its line's
        if (framing_until(end) > limits_.head_bytes_max) ec = http::error::header_limit;
    }
    std::size_t on_chunk_body_impl(std::uint64_t, string_view part, error&) override {
        take(part);
        framing_ = part.data() + part.size();
        return part.size();
    }
    void on_finish_impl(error&) override {}
    void take(string_view part) {
        came_ += part.size();
        if (came_ > kept_max_) {
            std::string().swap(body_);  // assigning an empty one would keep the memory
        } else {
            body_.append(part.data(), part.size());
        }
    }

    const char* base_;
    std::size_t used_ = 0;
    const http_limits& limits_;
    const char* framing_ = nullptr;  // where the present chunk header or trailer begins
    api::verb verb_{};
    bool is_head_ = false;
    bool is_options_ = false;
    bool is_11_ = false;
    bool in_trailer_ = false;
    std::string body_;
    std::size_t came_ = 0;  // of the body
    std::size_t kept_max_ = std::numeric_limits<std::size_t>::max();
    slice path_, query_, token_, key_, request_id_, accept_language_, origin_, accept_encoding_,
        if_none_match_, content_type_, forwarded_;
    seal wechat_, own_;
    int forwards_ = 0;             // lines of X-Forwarded-For
    std::string forwarded_lines_;  // all of them, if there are several
};

void conversation::reader::on_field(http::field name, string_view value, string_view name_text) {
    switch (name) {
    case http::field::host: ++hosts; break;
    case http::field::content_length:
        lengths += value.find(',') == string_view::npos ? 1 : 2;  // "5, 5" is two of them
        break;
    case http::field::transfer_encoding: encodings += iequals(value, "chunked") ? 1 : 2; break;
    case http::field::expect:
        (iequals(value, "100-continue") ? expects_continue : expects_something_else) = true;
        break;
    case http::field::authorization:
        if (value.size() > 7 && iequals(value.substr(0, 7), "bearer "))
            token_ = place(value.substr(7));
        break;
    case http::field::accept_language: accept_language_ = place(value); break;
    case http::field::accept_encoding: accept_encoding_ = place(value); break;
    case http::field::origin: origin_ = place(value); break;
    case http::field::if_none_match: if_none_match_ = place(value); break;
    case http::field::content_type: content_type_ = place(value); break;
    case http::field::unknown:
        if (iequals(name_text, "token")) {
            if (token_.size == 0) token_ = place(value);
        } else if (iequals(name_text, "idempotency-key")) {
            key_ = place(value);
            ++keys;
        } else if (iequals(name_text, "x-request-id")) {
            if (is_plain_id(value)) request_id_ = place(value);
        } else if (iequals(name_text, "x-forwarded-for")) {
            add_forwarded(value);
        } else if (iequals(name_text.substr(0, wechat_prefix.size()), wechat_prefix)) {
            on_seal_field(wechat_, name_text.substr(wechat_prefix.size()), value);
        } else if (iequals(name_text.substr(0, own_prefix.size()), own_prefix)) {
            on_seal_field(own_, name_text.substr(own_prefix.size()), value);
        }
        break;
    default: break;
    }
}

void conversation::reader::on_seal_field(seal& of, string_view name, string_view value) const {
    if (iequals(name, "timestamp")) of.timestamp = place(value);
    if (iequals(name, "nonce")) of.nonce = place(value);
    if (iequals(name, "signature")) of.signature = place(value);
    if (iequals(name, "serial")) of.serial = place(value);
}

// Each proxy may add a line of its own: together they are one list, in this order. It is shorter
// than the head, which is limited.
void conversation::reader::add_forwarded(string_view value) {
    if (++forwards_ == 1) forwarded_ = place(value);
    if (forwards_ == 2) forwarded_lines_ = at(forwarded_);
    if (forwards_ > 1) forwarded_lines_.append(", ").append(value.data(), value.size());
}

std::optional<std::string_view> conversation::reader::forwarded_for() const {
    if (forwards_ == 0) return std::nullopt;
    return forwards_ == 1 ? at(forwarded_) : std::string_view(forwarded_lines_);
}

request conversation::reader::view() const {
    return {.verb = verb_,
            .path = path_.size > 0 ? at(path_) : std::string_view("/"),
            .query = at(query_),
            .token = at(token_),
            .idempotency_key = keys > 0 ? std::optional(at(key_)) : std::nullopt,
            .accept_language = at(accept_language_),
            .accept_encoding = at(accept_encoding_),
            .origin = at(origin_),
            .if_none_match = at(if_none_match_),
            .request_id = at(request_id_),
            .content_type = at(content_type_),
            .forwarded_for = forwarded_for(),
            .wechat = at(wechat_),
            .floodgate = at(own_),
            .body = body_,
            .body_bytes = body_bytes(),
            .keep_alive = keep_alive(),
            .is_head = is_head_,
            .is_options = is_options_};
}

conversation::conversation(const http_limits& limits) : limits_(limits) {}
conversation::~conversation() = default;

std::span<char> conversation::room() {
    if (buffer_.size() - used_ < read_bytes / 2) buffer_.resize(used_ + read_bytes);
    return {buffer_.data() + used_, buffer_.size() - used_};
}

void conversation::received(std::size_t bytes) {
    assert(used_ + bytes <= buffer_.size());
    used_ += bytes;
}

bool conversation::head_complete() const { return reader_ != nullptr; }

conversation::step conversation::refuse(api::problem p, std::string_view detail) {
    why_ = p;
    detail_ = detail;
    return step::refused;
}

conversation::step conversation::refuse_body(std::size_t allowed) {
    return refuse(api::problem::payload_too_large,
                  "the body may have " + std::to_string(allowed) + " bytes");
}

conversation::step conversation::next() {
    if (!reader_) {
        if (used_ == 0) return step::need_more;
        const step head = read_head();
        if (head != step::request_ready) return head;
    }
    return read_body();
}

// Waits for the empty line, then has the whole head parsed at once.
conversation::step conversation::read_head() {
    while (used_ - parsed_ >= 2 && std::memcmp(buffer_.data() + parsed_, "\r\n", 2) == 0)
        parsed_ += 2;  // empty lines before a request are to be ignored
    const std::string_view came(buffer_.data() + parsed_, used_ - parsed_);
    const std::size_t end = came.find("\r\n\r\n");
    // If the end of the head has not come, up to three more bytes may be part of it. The limit must
    // not depend on how the bytes were split.
    const std::size_t head =
        end < came.size() ? end : came.size() - std::min<std::size_t>(came.size(), 3);
    if (parsed_ + head > limits_.head_bytes_max) {
        if (came.find("\r\n") > limits_.head_bytes_max)
            return refuse(api::problem::uri_too_long, "the request line is longer than allowed");
        return refuse(api::problem::header_too_large, "the request head is larger than allowed");
    }
    if (end == std::string_view::npos) return step::need_more;

    auto fresh = std::make_unique<reader>(buffer_.data(), limits_);
    fresh->look_at(buffer_.data(), used_);
    boost::beast::error_code ec;
    parsed_ += fresh->put(boost::asio::const_buffer(came.data(), end + 4), ec);
    if (fresh->too_long_target) return refuse(api::problem::uri_too_long, "the path is too long");
    if (ec == http::error::body_limit) return refuse_body(fresh->body_bytes_max);
    if (ec) return refuse(api::problem::bad_request, ec.message());
    if (!fresh->is_header_done())
        return refuse(api::problem::bad_request, "incomplete request head");
    if (fresh->hosts != 1 && fresh->version_is_11())
        return refuse(api::problem::bad_request, "exactly one Host header is needed");
    if (fresh->lengths > 1)
        return refuse(api::problem::bad_request, "more than one Content-Length");
    if (fresh->keys > 1) return refuse(api::problem::bad_request, "more than one Idempotency-Key");
    if (fresh->encodings > (fresh->version_is_11() ? 1 : 0))
        return refuse(api::problem::bad_request,
                      "Transfer-Encoding may only be chunked, in HTTP/1.1");
    if (fresh->expects_something_else && fresh->version_is_11())
        return refuse(api::problem::expectation_failed, "only 100-continue can be expected of us");
    reader_ = std::move(fresh);
    return step::request_ready;
}

// Feeds the bytes after the head. The reader gathers the body, so the buffer stays small.
conversation::step conversation::read_body() {
    reader_->look_at(buffer_.data(), used_);
    reader_->eager(true);
    while (!reader_->is_done() && parsed_ < used_) {
        if (reader_->inside_a_chunk_header && used_ - parsed_ < last_chunk_bytes) break;
        const char* from = buffer_.data() + parsed_;
        reader_->feed_from(from);
        boost::beast::error_code ec;
        const std::size_t taken =
            reader_->put(boost::asio::const_buffer(from, used_ - parsed_), ec);
        // Chunk headers and trailers are only taken whole, so the remaining bytes are part of one.
        const bool done = reader_->is_done();
        const std::size_t trailer =
            done && reader_->chunked() ? reader_->framing_until(from + taken) : 0;
        buffer_.erase(parsed_, taken);
        used_ -= taken;
        const std::size_t framing = done ? trailer : used_ - parsed_;
        if (ec == http::error::body_limit) return refuse_body(reader_->body_bytes_max);
        if (ec == http::error::header_limit)
            return refuse(api::problem::header_too_large, "a chunk header is too large");
        reader_->inside_a_chunk_header = ec == http::error::need_more;
        if (ec && ec != http::error::need_more)
            return refuse(api::problem::bad_request, ec.message());
        if (framing > limits_.head_bytes_max)
            return refuse(api::problem::header_too_large, "a chunk header or trailer is too large");
        if (ec) break;
    }
    if (!reader_->is_done()) return step::need_more;
    current_ = reader_->view();
    return step::request_ready;
}

request conversation::announced() const { return reader_->view(); }

// HTTP/1.0 knows no `continue`.
bool conversation::client_waits() const {
    return reader_->expects_continue && reader_->version_is_11();
}

void conversation::keep_body(std::size_t bytes_max) { reader_->keep_body(bytes_max); }

void conversation::give_up_body() {
    current_ = reader_->view();
    current_.keep_alive = false;
}

void conversation::finish() {
    assert(reader_);
    reader_.reset();
    std::memmove(buffer_.data(), buffer_.data() + parsed_, used_ - parsed_);
    used_ -= parsed_;
    parsed_ = 0;
    if (used_ == 0 && buffer_.size() > 4 * read_bytes) std::string().swap(buffer_);
}

}  // namespace floodgate::http
