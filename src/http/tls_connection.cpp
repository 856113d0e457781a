#include "http/tls_connection.hpp"

#include <boost/asio/write.hpp>

#include <algorithm>
#include <stdexcept>
#include <sys/ioctl.h>

#include "http/web_socket_stream.hpp"

namespace floodgate::http {

namespace asio = boost::asio;
using error_code = boost::system::error_code;

namespace {

// Mozilla's "intermediate" list, without the DHE suites that nothing in use needs. For TLS 1.2; the
// suites of TLS 1.3 are all good.
constexpr const char* ciphers =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:"
    "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:"
    "ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";

std::shared_ptr<tls_connection> same(tls_connection& c) {
    return std::static_pointer_cast<tls_connection>(c.shared_from_this());
}

}  // namespace

tls_connection::tls_connection(connection_home& home, const remote& peer,
                               asio::ip::tcp::socket socket,
                               std::shared_ptr<asio::ssl::context> context)
    : connection(home, peer), silent_(std::move(socket)), context_(std::move(context)) {}

// A stream takes 80 KiB, so it is made only when the client sends something; silent clients then
// cost next to nothing. check_deadline() ends a handshake that stalls.
void tls_connection::start() {
    begin_handshake();
    silent_.async_wait(asio::ip::tcp::socket::wait_read,
                       [self = same(*this)](const error_code& error) {
                           if (self->closed()) return;
                           if (error) return self->close();
                           self->shake_hands();
                       });
}

void tls_connection::shake_hands() {
    stream_.emplace(std::move(silent_), *context_);
    stream_->async_handshake(asio::ssl::stream_base::server,
                             [self = same(*this)](const error_code& error) {
                                 if (self->closed()) return;
                                 if (error) return self->close();
                                 self->end_handshake();
                                 self->read_some();
                             });
}

bool tls_connection::has_unread() {
    int bytes = 0;
    return ioctl(socket().native_handle(), FIONREAD, &bytes) == 0 && bytes > 0;
}

void tls_connection::on_ready(bool, bool) {}

void tls_connection::read_some() {
    if (reading_ || closed()) return;
    reading_ = true;
    stream_->async_read_some(asio::buffer(incoming_),
                             [self = same(*this)](const error_code& error, std::size_t bytes) {
                                 self->on_read(error, bytes);
                             });
}

void tls_connection::on_read(const error_code& error, std::size_t bytes) {
    reading_ = false;
    if (closed()) return;
    if (error == asio::error::eof) {
        on_peer_finished();
        return home().on_progress(*this);
    }
    if (error) return close();
    for (std::size_t taken = 0; taken < bytes;) {
        const auto to = room();
        const std::size_t n = std::min(to.size(), bytes - taken);
        std::copy_n(incoming_.data() + taken, n, to.data());
        taken += n;
        on_received(n);
    }
    home().on_progress(*this);
    if (wants_more_) read_some();
}

void tls_connection::write(std::string_view bytes) {
    unsent_.keep(bytes);
    write_rest();
}

void tls_connection::write(const shared_answer& bytes) {
    unsent_.keep(bytes);
    write_rest();
}

void tls_connection::write_rest() {
    std::array<asio::const_buffer, unsent::parts_max> buffers;
    std::ranges::transform(unsent_.parts(), buffers.begin(), [](const iovec& part) {
        return asio::const_buffer(part.iov_base, part.iov_len);
    });
    asio::async_write(*stream_, buffers,
                      [self = same(*this)](const error_code& error, std::size_t bytes) {
                          if (self->closed()) return;
                          if (error) return self->close();
                          self->unsent_.drop(bytes);
                          self->on_written();
                          self->home().on_progress(*self);
                      });
}

void tls_connection::want_more(bool yes) {
    wants_more_ = yes;
    if (yes) read_some();
}

// TLS has its own closing message, which tells the client that nothing was cut off.
void tls_connection::shut_down() {
    stream_->async_shutdown([self = same(*this)](const error_code&) { self->close(); });
}

// Not possible while a read is under way, which is the case if the request was pipelined after
// another.
std::shared_ptr<push::web_socket> tls_connection::give_away(asio::io_context&,
                                                            const push::socket_world& world,
                                                            const upgrade_request& r) {
    if (reading_) return nullptr;
    return make_web_socket(std::move(*stream_), world, r, give_place());
}

void tls_connection::close_transport() {
    error_code ignored;
    socket().close(ignored);
}

std::shared_ptr<asio::ssl::context> make_tls_context(const std::string& certificate_file,
                                                     const std::string& key_file) {
    auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
    context->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_sslv2 |
                         asio::ssl::context::no_sslv3 | asio::ssl::context::no_tlsv1 |
                         asio::ssl::context::no_tlsv1_1);
    SSL_CTX* native = context->native_handle();
    // A client that asks for a new handshake over and over costs us more than it costs the client.
    SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION);
    if (SSL_CTX_set_cipher_list(native, ciphers) != 1)
        throw std::runtime_error("tls: this OpenSSL knows none of our ciphers");
    error_code error;
    context->use_certificate_chain_file(certificate_file, error);
    if (error) throw std::runtime_error(certificate_file + ": " + error.message());
    context->use_private_key_file(key_file, asio::ssl::context::pem, error);
    if (error) throw std::runtime_error(key_file + ": " + error.message());
    return context;
}

}  // namespace floodgate::http
