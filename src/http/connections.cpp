#include "http/connections.hpp"

#include <array>
#include <utility>

#include "base/log.hpp"
#include "http/answers.hpp"
#include "http/plain_connection.hpp"
#include "http/tls_connection.hpp"

namespace floodgate::http {
namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

guard::ip_address address_of(const tcp::endpoint& from) {
    const asio::ip::address a = from.address();
    if (a.is_v6()) return {a.to_v6().to_bytes()};
    return {asio::ip::make_address_v6(asio::ip::v4_mapped, a.to_v4()).to_bytes()};
}

}  // namespace

connections::connections(asio::io_context& io, const loop_options& o, answers& a,
                         const guard::trusted_proxies& proxies,
                         std::shared_ptr<asio::ssl::context> tls, hooks h)
    : connection_home(o, a),
      proxies_(proxies),
      tls_(std::move(tls)),
      hooks_(std::move(h)),
      acceptor_(io) {}

void connections::close_all() {
    for_each([](connection& who) { who.close(); });
}

void connections::listen(int fd, bool ipv6) {
    acceptor_.assign(ipv6 ? tcp::v6() : tcp::v4(), fd);
    accept_next();
}

void connections::stop_accepting() {
    accept_failed_ = false;
    boost::system::error_code ignored;
    acceptor_.close(ignored);
}

void connections::accept_again() {
    if (std::exchange(accept_failed_, false)) accept_next();
}

void connections::accept_next() {
    acceptor_.async_accept([this](const boost::system::error_code& error, tcp::socket socket) {
        if (!acceptor_.is_open()) return;
        if (error) {
            // Out of descriptors, most likely: the next tick tries again.
            log::warning("http.accept_failed", "error", error.message());
            accept_failed_ = true;
            return;
        }
        now = steady::now();
        if (slots_.size() >= options.connections_max) {
            turn_away(std::move(socket));
        } else {
            welcome(std::move(socket));
        }
        accept_next();
    });
}

void connections::turn_away(tcp::socket socket) {
    refused_.add();
    if (tls_) return out.count(503);  // no answer without a handshake
    const auto bytes = out.last_words(api::problem::busy, {{"retry_after_ms", busy_retry_ms}});
    boost::system::error_code ignored;
    socket.non_blocking(true, ignored);
    socket.write_some(asio::buffer(bytes), ignored);  // one try: they may read it or not
    socket.shutdown(tcp::socket::shutdown_send, ignored);
    std::array<char, 4096> unread;  // left in the socket, it would turn our close into a reset
    socket.read_some(asio::buffer(unread), ignored);
}

void connections::welcome(tcp::socket socket) {
    boost::system::error_code error;
    const auto from = socket.remote_endpoint(error);
    if (error) return;  // gone already
    socket.non_blocking(true, error);
    socket.set_option(tcp::no_delay(true), error);

    const guard::ip_address address = address_of(from);
    const remote peer{address, proxies_.is_trusted(address)};
    std::shared_ptr<connection> who;
    if (tls_) {
        who = std::make_shared<tls_connection>(*this, peer, std::move(socket), *tls_);
    } else {
        who = std::make_shared<plain_connection>(*this, peer, poller_, socket.release(error));
    }
    who->id = slots_.add(who);
    accepted_.add();
    open_.add();
    who->start();
}

void connections::on_closed(connection& who) {
    auto gone = slots_.remove(who.id);
    if (!gone) return;
    hooks_.closed(who.id);
    closed_.push_back(std::move(gone));
    open_.add(-1);
}

void connections::add_to(figures& sum) const {
    sum.connections += open_.read();
    sum.accepted += accepted_.read();
    sum.refused += refused_.read();
}

}  // namespace floodgate::http
