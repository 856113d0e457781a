// A connection over TLS, through Asio's stream, which waits by itself. It is rarely used: usually
// nginx ends TLS in front of the server.

#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>

#include <array>
#include <optional>

#include "http/connection.hpp"

namespace floodgate::http {

class tls_connection final : public connection {
public:
    tls_connection(connection_home& home, const remote& peer, boost::asio::ip::tcp::socket socket,
                   std::shared_ptr<boost::asio::ssl::context> context);

    void start() override;
    void on_ready(bool readable, bool writable) override;
    bool has_unread() override;

private:
    void write(std::string_view bytes) override;
    void write(const shared_answer& bytes) override;
    void shut_down() override;
    void close_transport() override;
    std::shared_ptr<push::web_socket> give_away(boost::asio::io_context& io,
                                                const push::socket_world& world,
                                                const upgrade_request& r) override;
    void want_more(bool yes) override;
    void write_rest();
    void shake_hands();
    void read_some();
    void on_read(const boost::system::error_code& error, std::size_t bytes);

    boost::asio::ip::tcp::socket& socket() { return stream_ ? stream_->next_layer() : silent_; }

    boost::asio::ip::tcp::socket silent_;  // used until the client has sent something
    const std::shared_ptr<boost::asio::ssl::context> context_;
    std::optional<boost::asio::ssl::stream<boost::asio::ip::tcp::socket>> stream_;
    std::array<char, 4096> incoming_;  // a read may be under way while room() moves
    unsent unsent_;
    bool reading_ = false;  // a read is under way
    bool wants_more_ = true;
};

// Certificate chain and key from PEM files; TLS 1.2 with forward secrecy and authenticated
// encryption only (Mozilla's "intermediate" list without DHE), and TLS 1.3. Throws
// std::runtime_error naming the file that is missing or does not fit.
std::shared_ptr<boost::asio::ssl::context> make_tls_context(const std::string& certificate_file,
                                                            const std::string& key_file);

}  // namespace floodgate::http
