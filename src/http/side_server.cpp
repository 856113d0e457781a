#include "http/side_server.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include "base/log.hpp"
#include "base/thread.hpp"
#include "http/listening.hpp"

namespace floodgate::http {
namespace side {  // named, because side_server::state has a member of these types

namespace asio = boost::asio;
namespace beast = boost::beast;
using boost::system::error_code;
using tcp = asio::ip::tcp;
using wire_request = beast::http::request<beast::http::string_body>;
using wire_response = beast::http::response<beast::http::string_body>;

constexpr std::size_t head_bytes_max = 16'384;

// What all clients of a server share.
struct service {
    service(side_options o, side_server::handler h) : options(std::move(o)), answer(std::move(h)) {}

    const side_options options;
    const side_server::handler answer;
    std::atomic<std::size_t> clients{0};
};

side_request read(wire_request&& from) {
    side_request r{.verb = std::string(from.method_string()), .target = std::string(from.target())};
    for (const auto& field : from) r.headers.emplace_back(field.name_string(), field.value());
    r.body = std::move(from.body());
    return r;
}

side_response plain_text(unsigned status, std::string text) {
    return {.status = status, .content_type = "text/plain; charset=utf-8", .body = std::move(text)};
}

side_response answer_of(const service& s, const side_request& r) {
    try {
        return s.answer(r);
    } catch (const std::exception& e) {
        log::error("http.side_handler_failed", "path", std::string(r.path()), "error", e.what());
        return plain_text(500, "internal error\n");
    }
}

// One connection. Its strand keeps its steps apart; each step that waits keeps it alive.
class client : public std::enable_shared_from_this<client> {
public:
    client(tcp::socket socket, std::shared_ptr<service> s)
        : service_(std::move(s)), stream_(std::move(socket)) {
        ++service_->clients;
    }
    ~client() { --service_->clients; }
    client(const client&) = delete;
    client& operator=(const client&) = delete;

    void read_next() {
        parser_.emplace();
        parser_->header_limit(static_cast<std::uint32_t>(head_bytes_max));
        parser_->body_limit(service_->options.body_bytes_max);
        stream_.expires_after(service_->options.patience);
        beast::http::async_read(
            stream_, buffer_, *parser_,
            [self = shared_from_this()](const error_code& e, std::size_t) { self->has_read(e); });
    }
    void refuse(side_response r) { write(std::move(r), 11, false); }

private:
    void has_read(const error_code& e) {
        if (e) return give_up(e);
        wire_request r = parser_->release();
        const unsigned version = r.version();
        const bool keep_alive = r.keep_alive();
        write(answer_of(*service_, read(std::move(r))), version, keep_alive);
    }
    void give_up(const error_code& e) {
        if (e == beast::http::error::body_limit) return refuse(plain_text(413, "too large\n"));
        if (e == beast::http::error::header_limit) return refuse(plain_text(431, "too large\n"));
        const bool gone = e == beast::http::error::end_of_stream || e == beast::error::timeout ||
                          e.category() == asio::error::get_system_category();
        if (!gone) refuse(plain_text(400, "not an HTTP request\n"));
    }

    void write(side_response r, unsigned version, bool keep_alive) {
        out_ = wire_response(static_cast<beast::http::status>(r.status), version);
        if (r.status != 204) out_.set(beast::http::field::content_type, r.content_type);
        for (const auto& [name, value] : r.headers) out_.set(name, value);
        out_.keep_alive(keep_alive);
        out_.body() = std::move(r.body);
        if (r.status != 204) out_.prepare_payload();
        stream_.expires_after(service_->options.patience);
        beast::http::async_write(
            stream_, out_,
            [self = shared_from_this(), keep_alive](const error_code& e, std::size_t) {
                if (e || !keep_alive) return self->hang_up();
                self->read_next();
            });
    }

    void hang_up() {
        error_code ignored;
        stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    }

    const std::shared_ptr<service> service_;
    beast::tcp_stream stream_;
    beast::flat_buffer buffer_;
    std::optional<beast::http::request_parser<beast::http::string_body>> parser_;
    wire_response out_;
};

}  // namespace side

using namespace side;

std::string_view side_request::path() const {
    const std::string_view all = target;
    return all.substr(0, all.find('?'));
}

std::string_view side_request::query() const {
    const std::string_view all = target;
    const std::size_t at = all.find('?');
    return at == std::string_view::npos ? std::string_view() : all.substr(at + 1);
}

std::string_view side_request::header(std::string_view name) const {
    const auto found = std::ranges::find_if(
        headers, [&](const auto& field) { return beast::iequals(field.first, name); });
    return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

struct side_server::state {
    state(side_options o, handler answer)
        : shared(std::make_shared<service>(std::move(o), std::move(answer))) {
        const listening_sockets opened = listen_on(shared->options.listen, 1);
        address = opened.address;
        acceptor.assign(opened.ipv6 ? tcp::v6() : tcp::v4(), opened.descriptors.front());
        accept_next();
        for (std::size_t i = 0; i < std::max<std::size_t>(1, shared->options.threads); ++i)
            threads.emplace_back([this] {
                name_thread("side server");
                context.run();
            });
    }
    ~state() {
        context.stop();
        for (std::thread& t : threads) t.join();
    }

    void accept_next() {
        acceptor.async_accept(asio::make_strand(context),
                              [this](const error_code& e, tcp::socket socket) {
                                  if (e) return accept_later();
                                  serve(std::move(socket));
                                  accept_next();
                              });
    }
    // As when there is no descriptor left: without a pause this would take a core.
    void accept_later() {
        pause.expires_after(std::chrono::milliseconds(100));
        pause.async_wait([this](const error_code&) { accept_next(); });
    }
    void serve(tcp::socket socket) {
        const bool full = shared->clients >= shared->options.clients;
        const auto made = std::make_shared<client>(std::move(socket), shared);
        if (full) return made->refuse(plain_text(503, "too many clients\n"));
        made->read_next();
    }

    const std::shared_ptr<service> shared;
    std::string address;
    asio::io_context context;
    tcp::acceptor acceptor{context};
    asio::steady_timer pause{context};
    std::vector<std::thread> threads;
};

side_server::side_server(side_options o, handler answer)
    : state_(std::make_unique<state>(std::move(o), std::move(answer))) {}
side_server::~side_server() = default;

const std::string& side_server::address() const { return state_->address; }

}  // namespace floodgate::http
