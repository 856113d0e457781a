#include "store/rabbit/rabbit_session.hpp"

#include <algorithm>
#include <amqp_tcp_socket.h>
#include <array>
#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdexcept>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.hpp"

namespace floodgate::store {
namespace {

constexpr int frame_bytes_max = 131072;
constexpr milliseconds goodbye_timeout{300};

timeval to_timeval(milliseconds time) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
    return {.tv_sec = seconds.count(),
            .tv_usec = std::chrono::microseconds(time - seconds).count()};
}

std::string_view view(const amqp_bytes_t& bytes) {
    return {static_cast<const char*>(bytes.bytes), bytes.len};
}

// What the server said when it closed the channel or the connection.
std::string closing_words(const amqp_method_t& method) {
    if (method.id == AMQP_CHANNEL_CLOSE_METHOD)
        return std::string(view(static_cast<amqp_channel_close_t*>(method.decoded)->reply_text));
    if (method.id == AMQP_CONNECTION_CLOSE_METHOD)
        return std::string(view(static_cast<amqp_connection_close_t*>(method.decoded)->reply_text));
    return "an unexpected answer";
}

errc kind_of_closing(const amqp_method_t& method) {
    if (method.id != AMQP_CHANNEL_CLOSE_METHOD) return errc::store_unavailable;
    const auto code = static_cast<amqp_channel_close_t*>(method.decoded)->reply_code;
    return code == AMQP_RESOURCE_LOCKED ? errc::conflict : errc::rejected;
}

}  // namespace

amqp_bytes_t to_amqp(std::string_view text) {
    return {.len = text.size(), .bytes = const_cast<char*>(text.data())};
}

rabbit_headers whole_numbers(const amqp_table_t& table) {
    rabbit_headers out;
    for (int i = 0; i < table.num_entries; ++i) {
        const amqp_table_entry_t& e = table.entries[i];
        if (e.value.kind == AMQP_FIELD_KIND_I64)
            out.emplace_back(view(e.key), e.value.value.i64);
        else if (e.value.kind == AMQP_FIELD_KIND_I32)
            out.emplace_back(view(e.key), e.value.value.i32);
    }
    return out;
}

void fill_delivery(const amqp_message_t& message, rabbit_delivery& into) {
    into.body = view(message.body);
    if ((message.properties._flags & AMQP_BASIC_HEADERS_FLAG) != 0)
        into.headers = whole_numbers(message.properties.headers);
}

rabbit::session::session(rabbit_options o)
    : options_(std::move(o)), waker_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (options_.addresses.empty()) throw std::runtime_error("RabbitMQ has no address");
    for (const std::string& address : options_.addresses)
        servers_.push_back(parse_endpoint(address));
    if (waker_ < 0) throw std::runtime_error("no eventfd for RabbitMQ's connection");
}

rabbit::session::~session() {
    say_goodbye();
    ::close(waker_);
}

result<std::uint64_t> rabbit::session::open() {
    if (interrupted_) return errc::store_unavailable;
    if (state_ != nullptr) return connection_;
    const std::string fault = connect();
    if (fault.empty()) {
        if (failing_) log::info("store.rabbit_connected", "address", options_.addresses[address_]);
        failing_ = false;
        return ++connection_;
    }
    if (!failing_) log::warning("store.rabbit_unavailable", "reason", fault);
    failing_ = true;
    return errc::store_unavailable;
}

std::string rabbit::session::connect() {
    std::string first_fault;
    for (std::size_t tried = 0; tried < options_.addresses.size(); ++tried) {
        std::string fault = connect_to(servers_[address_]);
        if (fault.empty()) return {};
        close();
        if (first_fault.empty()) first_fault = std::move(fault);
        address_ = (address_ + 1) % options_.addresses.size();
    }
    return first_fault;
}

std::string rabbit::session::connect_to(const endpoint& to) {
    const std::string address = to.text();
    state_ = amqp_new_connection();
    amqp_socket_t* socket = state_ == nullptr ? nullptr : amqp_tcp_socket_new(state_);
    if (socket == nullptr) return "no memory for a connection";
    const timeval connect = to_timeval(options_.connect_timeout);
    const timeval answer = to_timeval(options_.answer_timeout);
    const int status = amqp_socket_open_noblock(socket, to.host.c_str(), to.port, &connect);
    if (status != AMQP_STATUS_OK)
        return "RabbitMQ does not answer at " + address + ": " + amqp_error_string2(status);
    {
        const std::lock_guard lock(socket_mutex_);
        socket_ = amqp_get_sockfd(state_);
    }
    // Gives up on a server that no longer reads; librabbitmq itself would wait.
    const auto patience = static_cast<unsigned>(options_.answer_timeout.count());
    ::setsockopt(socket_, IPPROTO_TCP, TCP_USER_TIMEOUT, &patience, sizeof patience);
    if (interrupted_) return "interrupted";
    amqp_set_handshake_timeout(state_, &answer);
    amqp_set_rpc_timeout(state_, &answer);
    const std::string fault = log_in();
    return fault.empty() ? fault : "RabbitMQ at " + address + ": " + fault;
}

std::string rabbit::session::log_in() {
    const amqp_rpc_reply_t reply =
        amqp_login(state_, options_.vhost.c_str(), 0, frame_bytes_max,
                   static_cast<int>(options_.heartbeat.count()), AMQP_SASL_METHOD_PLAIN,
                   options_.user.c_str(), options_.password.c_str());
    if (reply.reply_type == AMQP_RESPONSE_SERVER_EXCEPTION) {
        const std::string words = closing_words(reply.reply);
        return words.starts_with("ACCESS_REFUSED") ? "the user or the password is wrong" : words;
    }
    if (reply.reply_type != AMQP_RESPONSE_NORMAL) return amqp_error_string2(reply.library_error);
    amqp_channel_open(state_, only_channel);
    if (amqp_get_rpc_reply(state_).reply_type != AMQP_RESPONSE_NORMAL) return "no channel";
    return {};
}

void rabbit::session::say_goodbye() {
    if (state_ != nullptr && !interrupted_) {
        const timeval soon = to_timeval(goodbye_timeout);
        amqp_set_rpc_timeout(state_, &soon);
        (void)amqp_connection_close(state_, AMQP_REPLY_SUCCESS);
    }
    close();
}

void rabbit::session::close() {
    {
        const std::lock_guard lock(socket_mutex_);
        socket_ = -1;
        if (state_ != nullptr) amqp_destroy_connection(state_);
        state_ = nullptr;
    }
    deliveries.clear();
    unconfirmed.clear();
    published = 0;
    refused = returned = confirming = false;
}

std::string rabbit::session::version() const {
    const amqp_table_t* facts = amqp_get_server_properties(state_);
    for (int i = 0; facts != nullptr && i < facts->num_entries; ++i) {
        const amqp_table_entry_t& e = facts->entries[i];
        if (view(e.key) == "version" && e.value.kind == AMQP_FIELD_KIND_UTF8)
            return std::string(view(e.value.value.bytes));
    }
    return "unknown";
}

boost::system::error_code rabbit::session::lose(errc why, std::string_view reason) {
    close();
    if (!interrupted_ && !failing_ && why != errc::conflict) {
        log::warning(why == errc::rejected ? "store.rabbit_rejected" : "store.rabbit_lost",
                     "address", options_.addresses[address_], "reason", reason);
        failing_ = why != errc::rejected;
    }
    return make_error_code(why);
}

result<void> rabbit::session::outcome() { return outcome(amqp_get_rpc_reply(state_)); }

result<void> rabbit::session::outcome(const amqp_rpc_reply_t& reply) {
    switch (reply.reply_type) {
    case AMQP_RESPONSE_NORMAL: return {};
    case AMQP_RESPONSE_SERVER_EXCEPTION:
        return lose(kind_of_closing(reply.reply), closing_words(reply.reply));
    case AMQP_RESPONSE_LIBRARY_EXCEPTION:
        return lose(errc::store_unavailable, amqp_error_string2(reply.library_error));
    case AMQP_RESPONSE_NONE: break;
    }
    return lose(errc::store_unavailable, "no answer");
}

result<void> rabbit::session::outcome(int status) {
    if (status == AMQP_STATUS_OK) return {};
    return lose(errc::store_unavailable, amqp_error_string2(status));
}

void rabbit::session::wait_readable(steady::time_point by) {
    if (amqp_frames_enqueued(state_) != 0 || amqp_data_in_buffer(state_) != 0) return;
    const auto left = std::chrono::ceil<milliseconds>(by - steady::now());
    std::array<pollfd, 2> waiting{pollfd{.fd = amqp_get_sockfd(state_), .events = POLLIN},
                                  pollfd{.fd = waker_, .events = POLLIN}};
    // librabbitmq sends heartbeats only when it is asked for frames, so each wait must be short.
    const auto patience = std::clamp(left, milliseconds(0), milliseconds(1000));
    ::poll(waiting.data(), waiting.size(), static_cast<int>(patience.count()));
    if (waiting[1].revents == 0) return;
    std::uint64_t count = 0;
    (void)!::read(waker_, &count, sizeof count);
    woken = true;
}

result<void> rabbit::session::pump(steady::time_point by) {
    if (interrupted_) return lose(errc::store_unavailable, "interrupted");
    wait_readable(by);
    if (interrupted_) return lose(errc::store_unavailable, "interrupted");
    for (;;) {
        amqp_frame_t frame;
        const timeval at_once{};
        amqp_maybe_release_buffers(state_);
        const int status = amqp_simple_wait_frame_noblock(state_, &frame, &at_once);
        if (status == AMQP_STATUS_TIMEOUT) return {};
        if (status != AMQP_STATUS_OK)
            return lose(errc::store_unavailable, amqp_error_string2(status));
        if (const auto done = handle(frame); !done) return done;
    }
}

result<void> rabbit::session::handle(const amqp_frame_t& frame) {
    if (frame.frame_type != AMQP_FRAME_METHOD) return {};
    const amqp_method_t& method = frame.payload.method;
    switch (method.id) {
    case AMQP_BASIC_DELIVER_METHOD:
        return receive(*static_cast<amqp_basic_deliver_t*>(method.decoded));
    case AMQP_BASIC_ACK_METHOD: {
        const auto& ack = *static_cast<amqp_basic_ack_t*>(method.decoded);
        return confirmed(ack.delivery_tag, ack.multiple != 0);
    }
    case AMQP_BASIC_NACK_METHOD: {
        const auto& nack = *static_cast<amqp_basic_nack_t*>(method.decoded);
        refused = true;
        return confirmed(nack.delivery_tag, nack.multiple != 0);
    }
    case AMQP_BASIC_RETURN_METHOD: {
        rabbit_delivery unwanted;
        returned = true;
        return read_message(unwanted);
    }
    case AMQP_BASIC_CANCEL_METHOD: return lose(errc::rejected, "the queue was deleted");
    case AMQP_CHANNEL_CLOSE_METHOD:
    case AMQP_CONNECTION_CLOSE_METHOD: return lose(kind_of_closing(method), closing_words(method));
    default: return {};
    }
}

result<void> rabbit::session::confirmed(std::uint64_t tag, bool all_before) {
    const auto first = all_before ? unconfirmed.begin() : unconfirmed.lower_bound(tag);
    unconfirmed.erase(first, unconfirmed.upper_bound(tag));
    return {};
}

result<void> rabbit::session::receive(const amqp_basic_deliver_t& what) {
    rabbit_delivery d{.tag = what.delivery_tag, .redelivered = what.redelivered != 0};
    if (const auto read = read_message(d); !read) return read.error();
    deliveries.push_back(std::move(d));
    return {};
}

result<void> rabbit::session::read_message(rabbit_delivery& into) {
    amqp_message_t message;
    const amqp_rpc_reply_t reply = amqp_read_message(state_, only_channel, &message, 0);
    if (reply.reply_type != AMQP_RESPONSE_NORMAL) return outcome(reply);
    fill_delivery(message, into);
    amqp_destroy_message(&message);
    return {};
}

void rabbit::session::wake() {
    const std::uint64_t one = 1;
    (void)!::write(waker_, &one, sizeof one);
}

void rabbit::session::interrupt() {
    interrupted_ = true;
    wake();
    const std::lock_guard lock(socket_mutex_);
    if (socket_ >= 0) ::shutdown(socket_, SHUT_RDWR);
}

void rabbit::session::resume() { interrupted_ = false; }

}  // namespace floodgate::store
