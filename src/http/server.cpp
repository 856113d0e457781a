#include "http/server.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include <algorithm>
#include <stdexcept>

#include "http/listening.hpp"
#include "http/tls_connection.hpp"

namespace floodgate::http {

namespace asio = boost::asio;

std::size_t default_loops() {
    return std::max<std::size_t>(std::thread::hardware_concurrency(), 2) - 1;
}

server::server(api::services& with, push::mailroom& mailroom, const guard::trusted_proxies& proxies,
               server_options options)
    : options_(std::move(options)),
      general_(std::make_unique<asio::thread_pool>(options_.pool_threads)),
      password_(std::make_unique<asio::thread_pool>(options_.password_threads)) {
    if (options_.tls_certificate_file.empty() != options_.tls_key_file.empty())
        throw std::runtime_error("tls needs both a certificate file and a key file");
    std::shared_ptr<asio::ssl::context> tls;
    if (!options_.tls_certificate_file.empty())
        tls = make_tls_context(options_.tls_certificate_file, options_.tls_key_file);

    const std::size_t count = options_.loops ? options_.loops : default_loops();
    const listening_sockets sockets = listen_on(options_.listen, count);
    address_ = (tls ? "https://" : "http://") + sockets.address;
    const loop_options per_loop{
        .limits = options_.limits,
        .timeouts = options_.timeouts,
        .connections_max = std::max<std::size_t>(options_.connections_max / count, 1)};
    for (const int fd : sockets.descriptors) {
        loops_.push_back(std::make_unique<event_loop>(
            with, mailroom, proxies, per_loop,
            [this](api::pool which, std::function<void()> work) {
                return enqueue(which, std::move(work));
            },
            tls));
        loops_.back()->listen(fd, sockets.ipv6);
    }
}

server::~server() { stop(); }

void server::start() {
    for (const auto& loop : loops_) threads_.emplace_back([&loop] { loop->run(); });
}

void server::stop() {
    for (const auto& loop : loops_) loop->stop(options_.stop_within);
    for (auto& thread : threads_) thread.join();
    threads_.clear();
    // What is still in the pools belongs to connections that were cut off.
    general_->stop();
    password_->stop();
    general_->join();
    password_->join();
}

bool server::enqueue(api::pool which, std::function<void()> work) {
    auto& waiting = which == api::pool::password ? password_waiting_ : general_waiting_;
    if (waiting.fetch_add(1) >= options_.pool_queue_max) {
        waiting.fetch_sub(1);
        return false;
    }
    asio::post(which == api::pool::password ? *password_ : *general_,
               [&waiting, work = std::move(work)] {
                   work();
                   waiting.fetch_sub(1);
               });
    return true;
}

event_loop::figures server::read_figures() const {
    event_loop::figures sum;
    for (const auto& loop : loops_) {
        const auto one = loop->read_figures();
        sum.connections += one.connections;
        sum.accepted += one.accepted;
        sum.refused += one.refused;
        for (std::size_t i = 0; i < sum.by_status.size(); ++i) sum.by_status[i] += one.by_status[i];
    }
    return sum;
}

}  // namespace floodgate::http
