// The connections of one loop: accepts them, numbers them, finds them again, ends them.

#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/failure_log.hpp"
#include "guard/addresses.hpp"
#include "http/client_counts.hpp"
#include "http/connection.hpp"
#include "http/figures.hpp"
#include "http/slot_table.hpp"
#include "http/socket_poller.hpp"
#include "http/spare_descriptor.hpp"
#include "http/tally.hpp"

namespace floodgate::http {

class connections final : public connection_home {
public:
    using tls_context = std::shared_ptr<boost::asio::ssl::context>;

    struct hooks {
        std::function<void(connection&)> progress;  // see connection_home::on_progress
        std::function<void(connection_id)> closed;
        std::function<std::size_t(const request&)> body_bytes_wanted;  // see connection_home
    };
    // What the connections of all loops share. `tls` is null for plain connections.
    struct world {
        const guard::trusted_proxies& proxies;
        client_counts& clients;
        tls_context tls;
    };
    connections(boost::asio::io_context& io, const loop_options& o, answers& out, const world& w,
                hooks h);
    // Takes connections from a socket that is bound and listening.
    void listen(boost::asio::ip::tcp::acceptor::native_handle_type fd, bool ipv6);
    // Tries again after accepting failed for lack of descriptors. Called a few times a second.
    void accept_again();
    // For future connections.
    void use_certificate(tls_context tls) { tls_ = std::move(tls); }
    void stop_accepting();
    void close_all();

    // Null: the connection is closed.
    connection* find(connection_id id) const { return slots_.find(id); }
    // `visit` may close connections.
    template <class Visit>
    void for_each(Visit visit) {
        slots_.for_each(visit);
    }
    bool empty() const { return slots_.size() == 0; }

    // Calls serve(connection) for each connection that may have another request since its last
    // answer.
    template <class Serve>
    void serve_more(Serve serve) {
        serving_.swap(more_);
        for (const connection_id id : serving_)
            if (connection* who = find(id)) serve(*who);
        serving_.clear();
    }
    bool has_more() const { return !more_.empty(); }
    // Frees the closed connections, at the end of a turn, when nothing refers to them any more.
    void free_closed() { closed_.clear(); }

    socket_poller& poller() { return poller_; }
    void add_to(figures& sum) const;

private:
    std::size_t body_bytes_wanted(const request& announced) override {
        return hooks_.body_bytes_wanted(announced);
    }
    void on_closed(connection& who) override;
    void on_more(connection& who) override { more_.push_back(who.id); }
    void on_progress(connection& who) override { hooks_.progress(who); }

    void accept_next();
    void on_accept_failed(const boost::system::error_code& error);
    void accept_without_descriptor();
    void receive(boost::asio::ip::tcp::socket socket);
    bool has_room();
    bool make_room();
    std::optional<client_place> count_in(const remote& peer);
    void welcome(boost::asio::ip::tcp::socket socket, const remote& peer, client_place place);
    void turn_away(boost::asio::ip::tcp::socket socket);

    const guard::trusted_proxies& proxies_;
    client_counts& clients_;
    tls_context tls_;
    const hooks hooks_;
    boost::asio::ip::tcp::acceptor acceptor_;
    bool accept_failed_ = false;
    spare_descriptor spare_;
    failure_log accept_log_{log::level::warning, "http.accept"};
    steady::time_point last_failure_;
    socket_poller poller_;
    slot_table<connection> slots_;
    std::vector<connection_id> more_, serving_;
    std::vector<std::shared_ptr<connection>> closed_;
    tally open_, accepted_, refused_, refused_by_address_, made_room_;
};

}  // namespace floodgate::http
