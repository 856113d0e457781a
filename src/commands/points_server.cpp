#include "commands/points_server.hpp"

#include "points/wire.hpp"

namespace floodgate::commands {
namespace {

constexpr std::size_t points_handlers = 8;  // each waits for the database
// Of several shops: each may have as many calls under way as it has threads for paying.
constexpr std::size_t points_clients = 1000;

}  // namespace

points_server::points_server(points::accounts& book, options o)
    : service_(book, std::move(o.secret)),
      server_({.listen = std::move(o.listen),
               .threads = points_handlers,
               .clients = points_clients,
               .body_bytes_max = points::request_bytes_max},
              [this](const http::side_request& r) { return answer(r); }) {}

http::side_response points_server::answer(const http::side_request& r) const {
    if (r.path() == "/healthz") return {.content_type = "text/plain", .body = "ok\n"};
    points::service_response said = service_.answer({.verb = r.verb,
                                                     .path = r.path(),
                                                     .authorization = r.header("Authorization"),
                                                     .body = r.body});
    return {
        .status = said.status, .body = std::move(said.body), .headers = std::move(said.headers)};
}

}  // namespace floodgate::commands
