// A WebSocket over a plain or a TLS stream: Beast below, push::web_socket above.

#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>

#include <memory>

#include "http/upgrade.hpp"
#include "push/web_socket.hpp"

namespace floodgate::http {

// The socket answers the upgrade request when it is opened.
std::shared_ptr<push::web_socket> make_web_socket(boost::asio::ip::tcp::socket stream,
                                                  const push::socket_world& w,
                                                  const upgrade_request& r);
std::shared_ptr<push::web_socket> make_web_socket(
    boost::asio::ssl::stream<boost::asio::ip::tcp::socket> stream, const push::socket_world& w,
    const upgrade_request& r);

}  // namespace floodgate::http
