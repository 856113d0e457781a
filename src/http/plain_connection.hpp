// A connection over a plain socket with non-blocking reads and writes; socket_poller says when.

#pragma once

#include "http/connection.hpp"
#include "http/socket_poller.hpp"

namespace floodgate::http {

class plain_connection final : public connection {
public:
    // Owns `fd`, which must be non-blocking.
    plain_connection(connection_home& home, const remote& peer, socket_poller& poller, int fd);
    ~plain_connection() override;

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
    void watch();
    void read_some();
    void write_rest();
    void want_to_write(bool yes);

    socket_poller& poller_;
    int fd_;
    socket_poller::interest interest_;
    unsent unsent_;
};

}  // namespace floodgate::http
