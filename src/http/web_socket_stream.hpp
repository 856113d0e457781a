// A WebSocket over a plain or a TLS stream: Beast below, push::web_socket above.

#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>

#include <memory>

#include "push/web_socket.hpp"

namespace floodgate::http {

std::shared_ptr<push::web_socket> make_web_socket(boost::asio::ip::tcp::socket stream,
                                                  push::web_socket::world w);
std::shared_ptr<push::web_socket> make_web_socket(
    boost::asio::ssl::stream<boost::asio::ip::tcp::socket> stream, push::web_socket::world w);

}  // namespace floodgate::http
