// How the clients of one loop hear of their orders: long polls that wait for a change, and
// WebSockets that are told of every change.

#pragma once

#include <boost/asio/io_context.hpp>

#include <optional>
#include <string>

#include "http/loop_tasks.hpp"
#include "http/request_desk.hpp"
#include "http/upgrade.hpp"
#include "push/long_polls.hpp"
#include "push/socket_room.hpp"

namespace floodgate::http {

// The loop's thread only.
class result_desk {
public:
    // Where its clients are and how they are answered.
    struct world {
        boost::asio::io_context& io;
        connections& clients;
        answers& out;
        loop_tasks& tasks;
    };
    result_desk(api::services& with, push::mailroom& mailroom, const world& w);
    ~result_desk();

    // The request is answered when the order changes, or at the end of the wait. False: it cannot
    // wait, because the server stops or too many wait already.
    bool wait_for_order(connection& from, const order_question& q, steady::time_point now);
    // The client has hung up, or waits too often. True: its request was waiting and is answered
    // with what is known.
    bool stop_waiting(connection& who);
    // The connection is closed.
    void forget(connection_id id) { polls_.forget(id); }

    // Makes the connection a WebSocket, or answers why not.
    void open_socket(connection& from, const socket_question& q, instant now);

    void tick(steady::time_point now);
    // Nobody waits any longer, and the sockets are told that we go.
    void begin_stop();
    void cut_sockets() { room_.cut_all(); }
    bool has_sockets() const { return !room_.empty(); }

private:
    std::uint32_t open_box();
    void hear(const std::vector<sale::order_news>& news);
    void answer_polls(const std::vector<push::long_polls::answer>& answers);
    void look_up_for(connection& from, std::uint64_t poll, const push::long_polls::question& q);
    // Nothing: the connection has been told why not.
    std::optional<upgrade_request> check_upgrade(connection& from);
    void redeem_in_pool(connection& from, const socket_question& q, instant now);
    void open_for(connection& from, const std::optional<guard::ticket_holder>& whose,
                  const upgrade_request& r, const socket_question& q);

    api::services& with_;
    push::mailroom& mailroom_;
    const world world_;
    const std::uint32_t box_;  // in the mailroom
    push::long_polls polls_;
    push::socket_room room_;
    bool stopping_ = false;
};

}  // namespace floodgate::http
