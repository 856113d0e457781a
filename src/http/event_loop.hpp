// One thread that serves connections: accepts, reads, decides what to do with each request, writes.
//
// A turn of the loop takes everything that is ready, gathers the attempts to buy among it, has them
// judged as one batch and answers those whose verdict may be told. Nothing here blocks: what needs
// the database or a password hash goes to a pool and comes back as a finished reply.

#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "api/routes.hpp"
#include "api/services.hpp"
#include "guard/addresses.hpp"
#include "http/connection.hpp"
#include "http/socket_poller.hpp"
#include "http/wire.hpp"
#include "push/long_polls.hpp"
#include "push/socket_room.hpp"

namespace floodgate::http {

// How long a connection may keep us waiting.
struct timeouts {
    milliseconds idle{75'000};
    milliseconds head{10'000};  // from its first byte: a slow drip does not help
    milliseconds body{20'000};
    milliseconds write{30'000};
};

struct loop_options {
    http_limits limits;
    http::timeouts timeouts;
    std::size_t connections_max = 20'000;  // per loop
};

// Where blocking work goes. False: its queue is full.
using enqueue_work = std::function<bool(api::pool which, std::function<void()> work)>;

class event_loop {
public:
    // `tls` is null for plain connections.
    event_loop(api::services& with, push::mailroom& mailroom, const guard::trusted_proxies& proxies,
               loop_options options, enqueue_work enqueue,
               std::shared_ptr<boost::asio::ssl::context> tls);
    ~event_loop();

    // Takes connections from a socket that is bound and listening.
    void listen(boost::asio::ip::tcp::acceptor::native_handle_type fd, bool ipv6);
    void run();  // the thread's main function; returns after stop()

    // From any thread: accept no more, let what was accepted finish, then end run(). Whoever is
    // not done after `limit` is cut off.
    void stop(milliseconds limit);

    struct figures {
        std::uint64_t connections = 0, accepted = 0, refused = 0;
        std::array<std::uint64_t, 600> by_status{};
    };
    figures read_figures() const;

    // What connections use.
    void handle(connection& from, const request& r);
    void forget(std::uint64_t ticket);
    void count(int status) { bump(by_status_[static_cast<std::size_t>(status)]); }
    std::string_view date() { return date_.at(now_); }
    steady::time_point steady_now() const { return steady_now_; }
    const loop_options& options() const { return options_; }
    bool trusts(const boost::asio::ip::address& peer) const { return proxies_.is_trusted(peer); }
    socket_poller& sockets() { return sockets_; }
    boost::asio::io_context& context() { return io_; }
    push::web_socket::world for_sockets() { return room_.for_sockets(); }
    void stop_waiting(connection& who);  // if it waits for an order: answered with what is known

private:
    struct slot {
        std::shared_ptr<connection> who;
        std::uint32_t generation = 1;
    };
    // One writer (this thread), read by the metrics page.
    static void bump(std::atomic<std::uint64_t>& n) {
        n.store(n.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }

    void accept_next();
    void welcome(boost::asio::ip::tcp::socket socket);
    void wait_for_turn();
    void wait_for_lane();
    void turn();
    void settle();
    void tell(const sale::verdict& v);
    void on_wake();
    void tick();
    void begin_stop(milliseconds limit);
    std::uint32_t open_box();
    void hear(const std::vector<sale::order_news>& news);
    void note_time();
    connection* find(std::uint64_t ticket);

    void handle_purchase(connection& from, const request& r, std::int64_t sale);
    void handle_page(connection& from, const request& r, const api::page* p);
    bool handle_here(connection& from, const request& r);
    bool knows_token_of(const request& r) const;
    void ask_fellows(connection& from, const request& r);
    void dispatch(connection& from, const request& r);
    bool handle_order(connection& from, const request& r);
    bool wait_for_order(connection& from, const push::long_polls::question& q);
    void look_up_for(connection& from, std::uint64_t poll, const push::long_polls::question& q);
    void answer_polls(const std::vector<push::long_polls::answer>& answers);
    void handle_socket(connection& from, const request& r);
    void redeem_in_pool(connection& from, const std::string& ticket,
                        std::optional<std::int64_t> since);
    void go_on_with_socket(connection& from, std::optional<sale::user_id> buyer,
                           std::optional<std::int64_t> since);
    void open_socket(connection& from, sale::user_id buyer, const upgrade_request& r,
                     std::optional<std::int64_t> since);
    void handle_in_pool(connection& from, const request& r);
    // The client's address behind trusted proxies, and whether it is exempt from rate limits.
    std::pair<boost::asio::ip::address, bool> client_of(const connection& from, const request& r);
    void send(connection& to, const api::reply& r);
    void send(connection& to, api::problem p, boost::json::object extra = {});

    api::services& with_;
    push::mailroom& mailroom_;
    const guard::trusted_proxies& proxies_;
    const loop_options options_;
    enqueue_work enqueue_;
    std::shared_ptr<boost::asio::ssl::context> tls_;

    boost::asio::io_context io_{1};
    boost::asio::ip::tcp::acceptor acceptor_{io_};
    boost::asio::steady_timer ticker_{io_};
    socket_poller sockets_;
    boost::asio::posix::stream_descriptor sockets_ready_{io_};
    std::unique_ptr<gate::lane> lane_;
    boost::asio::posix::stream_descriptor lane_ready_{io_};
    std::vector<sale::attempt> batch_;
    std::vector<sale::verdict> verdicts_;
    std::string bytes_;  // of the answer being made
    date_line date_;
    instant now_;
    steady::time_point steady_now_;
    std::shared_ptr<const api::pages> pages_;
    std::uint64_t pages_version_ = 0;

    std::vector<slot> slots_;
    std::vector<std::uint32_t> free_slots_;
    const std::uint32_t box_;  // in the mailroom
    push::long_polls polls_;
    push::socket_room room_;
    bool stopping_ = false;
    bool accept_again_ = false;
    steady::time_point cut_off_ = steady::time_point::max();
    steady::time_point cut_sockets_ = steady::time_point::max();

    std::atomic<std::uint64_t> connections_{0}, accepted_{0}, refused_{0};
    std::array<std::atomic<std::uint64_t>, 600> by_status_{};
};

}  // namespace floodgate::http
