// One thread that serves connections: accepts, reads, has each request decided and answered.
//
// A turn of the loop takes everything that is ready, gathers the attempts to buy, has them judged
// as one batch and answers those whose verdict may be told. Nothing here blocks: work that needs
// the database or a password hash goes to a pool and comes back as a finished reply.
//
// The loop only conducts. The work is in connections.hpp, request_desk.hpp (what to do with a
// request), purchase_batch.hpp (attempts to buy), result_desk.hpp (results of orders) and
// loop_tasks.hpp (to the pools and back).

#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>

#include "http/connections.hpp"
#include "http/cors.hpp"
#include "http/decision_times.hpp"
#include "http/loop_tasks.hpp"
#include "http/purchase_batch.hpp"
#include "http/request_desk.hpp"
#include "http/result_desk.hpp"

namespace floodgate::http {

class event_loop {
public:
    // What all loops of the server share. `tls` is null for plain connections.
    struct world {
        api::services& with;
        push::mailroom& mailroom;
        const guard::trusted_proxies& proxies;
        guard::unknown_tokens& unknown;
        http::pools& pools;
        client_counts& clients;
        connections::tls_context tls;
    };
    event_loop(const world& w, const loop_options& options);
    ~event_loop() { connections_.close_all(); }

    // Takes connections from a socket that is bound and listening.
    void listen(int fd, bool ipv6) { connections_.listen(fd, ipv6); }
    void run();  // the thread's main function; returns after stop()

    // Any thread. Accepts no more, lets accepted requests finish, then ends run(). Connections that
    // are not done after `limit` are cut off.
    void stop(milliseconds limit);

    // Any thread. For future connections.
    void use_certificate(const connections::tls_context& tls);

    figures read_figures() const;

private:
    template <class Work>
    void turn(Work&& work);
    void finish_turn();
    void note_time();
    void wait_for_sockets();
    void wait_for_gate();
    void read_sockets();
    void settle();
    void tell(connection& to, const sale::verdict& v);
    void serve(connection& c);
    bool answered_as_preflight(connection& from, const request& r);
    void handle(connection& from, const request& r, searched where);
    void run_job(connection& from, pool_job job);
    void run_rest(connection& from, const std::string& path, const api::second_step& rest);
    void ask_other_nodes(connection& from, const request& r, const sale::token_hash& hash);
    void tick();
    void begin_stop(milliseconds limit);
    bool is_done() const;

    api::services& with_;
    const cors_policy cors_;
    boost::asio::io_context io_{1};
    boost::asio::steady_timer ticker_{io_};
    instant now_;
    answers out_;
    connections connections_;
    boost::asio::posix::stream_descriptor sockets_ready_;
    purchase_batch batch_;
    boost::asio::posix::stream_descriptor gate_ready_{io_};
    loop_tasks tasks_;
    request_desk desk_;
    decision_times decisions_;
    result_desk results_;

    bool stopping_ = false;
    steady::time_point cut_off_ = steady::time_point::max();
    steady::time_point cut_sockets_ = steady::time_point::max();
};

}  // namespace floodgate::http
