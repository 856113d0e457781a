#include "http/server.hpp"

#include <algorithm>
#include <stdexcept>

#include "http/event_loop.hpp"
#include "http/listening.hpp"
#include "http/tls_connection.hpp"

namespace floodgate::http {
namespace {

std::string hsts_line(std::chrono::seconds time) {
    if (time.count() == 0) return "";
    return "Strict-Transport-Security: max-age=" + std::to_string(time.count()) + "\r\n";
}

}  // namespace

std::size_t default_loops() {
    return std::max<std::size_t>(std::thread::hardware_concurrency(), 2) - 1;
}

server::server(api::services& with, push::mailroom& mailroom, const guard::trusted_proxies& proxies,
               const server_options& options)
    : options_(options),
      clients_(options.clients),
      operator_clients_({operator_connections_max, operator_connections_max}),
      pools_(options.pools) {
    if (options.tls_certificate_file.empty() != options.tls_key_file.empty())
        throw std::runtime_error("tls needs both a certificate file and a key file");
    connections::tls_context tls;
    if (uses_tls()) tls = make_tls_context(options.tls_certificate_file, options.tls_key_file);

    const std::size_t count = options.loops ? options.loops : default_loops();
    const listening_sockets sockets = listen_on(options.listen, count);
    address_ = (tls ? "https://" : "http://") + sockets.address;
    const loop_options per_loop{
        .limits = options.limits,
        .timeouts = options.timeouts,
        .connections_max = std::max<std::size_t>(options.connections_max / count, 1),
        .hides_operators_calls = !options.operator_listen.empty(),
        .fixed_lines = (tls ? hsts_line(options.tls_hsts) : std::string()) +
                       std::string(options.cors_origins.empty() ? "" : vary_line),
        .cors_origins = options.cors_origins};
    const event_loop::world world{with, mailroom, proxies, unknown_, pools_, clients_, tls};
    for (const int fd : sockets.descriptors) {
        loops_.push_back(std::make_unique<event_loop>(world, per_loop));
        loops_.back()->listen(fd, sockets.ipv6);
    }
    operator_address_ = address_;
    if (options.operator_listen.empty()) return;

    // Operators have a loop of their own, so that a rush of buyers does not hold up the admin who
    // pauses the sale.
    const listening_sockets door = listen_on(options.operator_listen, 1);
    operator_address_ = (tls ? "https://" : "http://") + door.address;
    loop_options for_operators = per_loop;
    for_operators.connections_max = operator_connections_max;
    for_operators.hides_operators_calls = false;
    loops_.push_back(std::make_unique<event_loop>(
        event_loop::world{with, mailroom, proxies, unknown_, pools_, operator_clients_, tls},
        for_operators));
    loops_.back()->listen(door.descriptors.front(), door.ipv6);
}

server::~server() { stop(); }

void server::start() {
    for (const auto& loop : loops_) threads_.emplace_back([&loop] { loop->run(); });
}

void server::stop() {
    for (const auto& loop : loops_) loop->stop(options_.stop_within);
    for (auto& thread : threads_) thread.join();
    threads_.clear();
    pools_.stop();  // any work left belongs to connections that were cut off
}

void server::reload_certificate() {
    const auto tls = make_tls_context(options_.tls_certificate_file, options_.tls_key_file);
    for (const auto& loop : loops_) loop->use_certificate(tls);
}

void check_certificate(const std::string& certificate_file, const std::string& key_file) {
    (void)make_tls_context(certificate_file, key_file);
}

figures server::read_figures() const {
    figures sum;
    for (const auto& loop : loops_) sum += loop->read_figures();
    return sum;
}

}  // namespace floodgate::http
