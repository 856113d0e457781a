#include "http/connections.hpp"

#include <array>
#include <utility>

#include "http/answers.hpp"
#include "http/plain_connection.hpp"
#include "http/tls_connection.hpp"

namespace floodgate::http {
namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using boost::system::error_code;

// How many idle connections are looked at to find one that can be closed.
constexpr int candidates_max = 8;

// A lack of descriptors comes and goes with every client; it counts as over only after this time.
constexpr auto accept_quiet_time = std::chrono::minutes(1);

guard::ip_address address_of(const tcp::endpoint& from) {
    const asio::ip::address a = from.address();
    if (a.is_v6()) return {a.to_v6().to_bytes()};
    return {asio::ip::make_address_v6(asio::ip::v4_mapped, a.to_v4()).to_bytes()};
}

}  // namespace

connections::connections(asio::io_context& io, const loop_options& o, answers& a, const world& w,
                         hooks h)
    : connection_home(o, a),
      proxies_(w.proxies),
      clients_(w.clients),
      tls_(w.tls),
      hooks_(std::move(h)),
      acceptor_(io) {}

void connections::close_all() {
    for_each([](connection& who) { who.close(); });
}

void connections::listen(int fd, bool ipv6) {
    acceptor_.assign(ipv6 ? tcp::v6() : tcp::v4(), fd);
    acceptor_.non_blocking(true);  // also for on_accept_failed(), which accepts by itself
    accept_next();
}

void connections::stop_accepting() {
    accept_failed_ = false;
    error_code ignored;
    acceptor_.close(ignored);
}

void connections::accept_again() {
    spare_.take_back();
    if (now - last_failure_ >= accept_quiet_time) accept_log_.succeeded();
    if (std::exchange(accept_failed_, false)) accept_next();
}

void connections::accept_next() {
    acceptor_.async_accept([this](const error_code& error, tcp::socket socket) {
        if (!acceptor_.is_open()) return;
        now = steady::now();
        if (error) return on_accept_failed(error);
        receive(std::move(socket));
        accept_next();
    });
}

// The reason is probably a lack of descriptors. The kernel reports it even when no client is
// waiting, so nothing is given up until one is.
void connections::on_accept_failed(const error_code& error) {
    accept_log_.failed(error.message());
    last_failure_ = now;
    acceptor_.async_wait(tcp::acceptor::wait_read, [this](const error_code& ended) {
        if (ended || !acceptor_.is_open()) return;
        now = steady::now();
        accept_without_descriptor();
    });
}

// A descriptor may have become free meanwhile, or an idle connection can give up its own. Otherwise
// the waiting client is accepted with the spare descriptor and told to try again.
void connections::accept_without_descriptor() {
    tcp::socket waiting(acceptor_.get_executor());
    error_code failed;
    acceptor_.accept(waiting, failed);
    if (!failed) receive(std::move(waiting));
    if (!failed || failed == asio::error::would_block || make_room()) return accept_next();
    spare_.give_up();
    acceptor_.accept(waiting, failed);
    if (!failed) turn_away(std::move(waiting));
    spare_.take_back();
    if (!failed) return accept_next();
    accept_failed_ = true;  // the next tick tries again
}

void connections::receive(tcp::socket socket) {
    error_code error;
    const auto from = socket.remote_endpoint(error);
    if (error) return;  // gone already
    const guard::ip_address address = address_of(from);
    const remote peer{address, proxies_.is_trusted(address)};
    auto place = count_in(peer);
    if (!place) refused_by_address_.add();
    if (!place || !has_room()) return turn_away(std::move(socket));
    welcome(std::move(socket), peer, std::move(*place));
}

std::optional<client_place> connections::count_in(const remote& peer) {
    if (peer.is_trusted_proxy) return clients_.add();
    return clients_.add(guard::limiter_key(peer.address));
}

// Whether there is room for the new client, which is counted already.
bool connections::has_room() {
    return (slots_.size() < options.connections_max && !clients_.too_many()) || make_room();
}

// Closes the connection that has been idle longest. If its client has just sent something, it is
// not idle but only unread, and it moves to the end of the list.
bool connections::make_room() {
    for (int i = 0; i < candidates_max && !idle.empty(); ++i) {
        auto& who = static_cast<connection&>(idle.front());
        if (!who.has_unread()) {
            who.close();
            made_room_.add();
            return true;
        }
        idle.pop_front();
        idle.push_back(who);
    }
    return false;
}

void connections::turn_away(tcp::socket socket) {
    refused_.add();
    if (tls_) return out.count(503);  // no answer without a handshake
    const auto bytes = out.last_words(api::problem::busy, {{"retry_after_ms", busy_retry_ms}});
    error_code ignored;
    socket.non_blocking(true, ignored);
    socket.write_some(asio::buffer(bytes), ignored);  // one try, whether or not the client reads it
    socket.shutdown(tcp::socket::shutdown_send, ignored);
    std::array<char, 4096> unread;  // left in the socket, it would turn our close into a reset
    socket.read_some(asio::buffer(unread), ignored);
}

void connections::welcome(tcp::socket socket, const remote& peer, client_place place) {
    error_code error;
    socket.non_blocking(true, error);
    socket.set_option(tcp::no_delay(true), error);
    std::shared_ptr<connection> who;
    if (tls_) {
        who = std::make_shared<tls_connection>(*this, peer, std::move(socket), tls_);
    } else {
        who = std::make_shared<plain_connection>(*this, peer, poller_, socket.release(error));
    }
    who->take_place(std::move(place));
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
    sum.refused_by_address += refused_by_address_.read();
    sum.made_room += made_room_.read();
}

}  // namespace floodgate::http
