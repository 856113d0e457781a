// Tells the clients of one loop about their orders: by long polls, which wait for a change, and by
// WebSockets, which are told of every change.

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
    // The loop's clients and the way to answer them.
    struct world {
        boost::asio::io_context& io;
        connections& clients;
        answers& out;
        loop_tasks& tasks;
    };
    result_desk(api::services& with, push::mailroom& mailroom, const world& w);
    ~result_desk();

    // Answers the request when the order changes or the wait ends. False: it cannot wait, because
    // the server is stopping or too many requests wait already.
    bool wait_for_order(connection& from, const order_question& q, steady::time_point now);
    // To be called when the client has hung up or its user has too many polls. True: its request
    // was waiting and is answered with what is known.
    bool stop_waiting(connection& who);
    // The connection is closed.
    void forget(connection_id id) { polls_.forget(id); }

    // Makes the connection a WebSocket, or answers why not.
    void open_socket(connection& from, const socket_question& q, instant now);

    void tick(steady::time_point now);
    // Answers every poll, and tells the sockets that the server is going away.
    void begin_stop();
    void cut_sockets() { room_.cut_all(); }
    bool has_sockets() const { return !room_.empty(); }

private:
    std::uint32_t open_box();
    void hear(const std::vector<sale::order_news>& news);
    void answer_polls(const std::vector<push::long_polls::answer>& answers);
    void look_up_for(connection& from, std::uint64_t poll, const push::long_polls::question& q);
    // Empty: the connection was told why not.
    std::optional<upgrade_request> check_upgrade(connection& from);
    bool may_look(const sale::token_hash& login) const;  // at the live view
    void redeem_in_pool(connection& from, const socket_question& q, instant now);
    void open_for(connection& from, const result<std::optional<guard::ticket_holder>>& redeemed,
                  const upgrade_request& r, const socket_question& q);

    api::services& with_;
    push::mailroom& mailroom_;
    const world world_;
    const std::uint32_t box_;  // in the mailroom
    push::long_polls polls_;
    push::socket_room room_;
    subscription<guard::access_list> access_;
    bool stopping_ = false;
};

}  // namespace floodgate::http
