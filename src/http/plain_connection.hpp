// A connection over a bare socket: non-blocking reads and writes, readiness from the loop.

#pragma once

#include "edge/connection.hpp"
#include "edge/readiness.hpp"

namespace floodgate::edge {

class plain_connection final : public connection {
public:
    // Owns `fd`, which must be non-blocking.
    plain_connection(event_loop& loop, boost::asio::ip::address peer, int fd);
    ~plain_connection() override;

    void start() override;
    void on_ready(bool readable, bool writable) override;

private:
    void write(std::string_view bytes) override;
    void shut_down() override;
    void close_transport() override;
    std::shared_ptr<web_socket> give_away() override;
    void want_more(bool yes) override;
    void watch();
    void read_some();
    void write_rest();

    readiness& readiness_;
    int fd_;
    readiness::interest interest_;
    std::string unsent_;
};

}  // namespace floodgate::edge
