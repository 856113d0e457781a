// A WebSocket over a plain or a TLS stream: Beast below, push::web_socket above.

#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>

#include <memory>

#include "http/client_counts.hpp"
#include "http/upgrade.hpp"
#include "push/web_socket.hpp"

namespace floodgate::http {

// The socket answers the upgrade request when it is opened. It has the place of its client as long
// as its descriptor.
std::shared_ptr<push::web_socket> make_web_socket(boost::asio::ip::tcp::socket stream,
                                                  const push::socket_world& w,
                                                  const upgrade_request& r, client_place place);
std::shared_ptr<push::web_socket> make_web_socket(
    boost::asio::ssl::stream<boost::asio::ip::tcp::socket> stream, const push::socket_world& w,
    const upgrade_request& r, client_place place);

}  // namespace floodgate::http
