#include "store/rabbit/rabbit.hpp"

#include <algorithm>
#include <stdexcept>

#include "store/rabbit/rabbit_session.hpp"

namespace floodgate::store {
namespace {

constexpr std::uint8_t persistent = 2;

amqp_field_value_t to_field(std::int64_t number) {
    amqp_field_value_t v{};
    v.kind = AMQP_FIELD_KIND_I64;
    v.value.i64 = number;
    return v;
}

amqp_field_value_t to_field(const std::string& text) {
    amqp_field_value_t v{};
    v.kind = AMQP_FIELD_KIND_UTF8;
    v.value.bytes = to_amqp(text);
    return v;
}

// Refers to the data that it was made from.
class table {
public:
    explicit table(const rabbit_arguments& arguments) {
        for (const auto& [name, value] : arguments) {
            const auto field = std::visit([](const auto& v) { return to_field(v); }, value);
            entries_.push_back({.key = to_amqp(name), .value = field});
        }
    }
    explicit table(const rabbit_headers& headers) {
        for (const auto& [name, value] : headers)
            entries_.push_back({.key = to_amqp(name), .value = to_field(value)});
    }
    amqp_table_t get() {
        return {.num_entries = static_cast<int>(entries_.size()), .entries = entries_.data()};
    }

private:
    std::vector<amqp_table_entry_t> entries_;
};

result<rabbit_queue_facts> facts_of(const amqp_queue_declare_ok_t& ok) {
    return rabbit_queue_facts{.ready = ok.message_count, .consumers = ok.consumer_count};
}

}  // namespace

std::optional<std::int64_t> rabbit_delivery::header(std::string_view name) const {
    for (const auto& [key, value] : headers)
        if (key == name) return value;
    return std::nullopt;
}

rabbit::rabbit(rabbit_options options) : session_(std::make_unique<session>(std::move(options))) {}

rabbit::~rabbit() = default;

result<std::uint64_t> rabbit::open() { return session_->open(); }

bool rabbit::is_open() const { return session_->is_open(); }

void rabbit::close() { session_->say_goodbye(); }

std::string rabbit::look() {
    session_->close();
    if (const std::string fault = session_->connect(); !fault.empty())
        throw std::runtime_error(fault);
    std::string version = session_->version();
    session_->say_goodbye();
    return version;
}

result<void> rabbit::declare_exchange(const std::string& name, const std::string& type) {
    if (!is_open()) return errc::store_unavailable;
    amqp_exchange_declare(session_->state(), only_channel, to_amqp(name), to_amqp(type), 0, 1, 0, 0,
                          amqp_empty_table);
    return session_->outcome();
}

result<rabbit_queue_facts> rabbit::declare_queue(const std::string& name,
                                                 const rabbit_arguments& arguments,
                                                 queue_life life) {
    if (!is_open()) return errc::store_unavailable;
    const int exclusive = life == queue_life::with_connection ? 1 : 0;
    const auto* ok = amqp_queue_declare(session_->state(), only_channel, to_amqp(name), 0,
                                        1 - exclusive, exclusive, 0, table(arguments).get());
    if (ok != nullptr) return facts_of(*ok);
    return session_->outcome().error();
}

result<rabbit_queue_facts> rabbit::look_at_queue(const std::string& name) {
    if (!is_open()) return errc::store_unavailable;
    const auto* ok = amqp_queue_declare(session_->state(), only_channel, to_amqp(name), 1, 0, 0, 0,
                                        amqp_empty_table);
    if (ok != nullptr) return facts_of(*ok);
    return session_->outcome().error();
}

result<void> rabbit::bind(const std::string& queue, const std::string& exchange,
                          const std::string& routing_key) {
    if (!is_open()) return errc::store_unavailable;
    amqp_queue_bind(session_->state(), only_channel, to_amqp(queue), to_amqp(exchange),
                    to_amqp(routing_key), amqp_empty_table);
    return session_->outcome();
}

result<void> rabbit::delete_queue(const std::string& name) {
    if (!is_open()) return errc::store_unavailable;
    amqp_queue_delete(session_->state(), only_channel, to_amqp(name), 0, 0);
    return session_->outcome();
}

result<void> rabbit::delete_exchange(const std::string& name) {
    if (!is_open()) return errc::store_unavailable;
    amqp_exchange_delete(session_->state(), only_channel, to_amqp(name), 0);
    return session_->outcome();
}

result<void> rabbit::publish(std::span<const rabbit_message> messages) {
    if (!is_open()) return errc::store_unavailable;
    session& s = *session_;
    if (!s.confirming) {
        amqp_confirm_select(s.state(), only_channel);
        if (const auto done = s.outcome(); !done) return done;
        s.confirming = true;
    }
    s.refused = s.returned = false;
    for (const rabbit_message& m : messages) {
        table headers(m.headers);
        amqp_basic_properties_t properties{};
        properties._flags = AMQP_BASIC_DELIVERY_MODE_FLAG | AMQP_BASIC_HEADERS_FLAG;
        properties.delivery_mode = persistent;
        properties.headers = headers.get();
        // Mandatory, because RabbitMQ would otherwise confirm and drop a message that no queue
        // takes.
        const int status =
            amqp_basic_publish(s.state(), only_channel, to_amqp(m.exchange), to_amqp(m.routing_key),
                               1, 0, &properties, to_amqp(m.body));
        if (const auto sent = s.outcome(status); !sent) return sent;
        s.unconfirmed.insert(++s.published);
    }
    const auto by = session::steady::now() + s.options().answer_timeout;
    while (!s.unconfirmed.empty()) {
        if (session::steady::now() >= by)
            return s.lose(errc::store_unavailable, "messages are not confirmed in time");
        if (const auto pumped = s.pump(by); !pumped) return pumped.error();
    }
    if (s.returned) return s.lose(errc::rejected, "no queue takes the message");
    if (s.refused) return s.lose(errc::store_unavailable, "RabbitMQ could not keep the message");
    return {};
}

result<void> rabbit::consume(const std::string& queue, std::uint16_t prefetch) {
    if (!is_open()) return errc::store_unavailable;
    amqp_basic_qos(session_->state(), only_channel, 0, prefetch, 0);
    if (const auto done = session_->outcome(); !done) return done;
    amqp_basic_consume(session_->state(), only_channel, to_amqp(queue), amqp_empty_bytes, 0, 0, 0,
                       amqp_empty_table);
    return session_->outcome();
}

result<std::vector<rabbit_delivery>> rabbit::take(milliseconds wait) {
    session& s = *session_;
    if (!s.is_open()) return errc::store_unavailable;
    const auto by = session::steady::now() + wait;
    // Pumped at least once, so that heartbeats are sent and the sockets read.
    do {
        const auto pumped = s.pump(s.deliveries.empty() && !s.woken ? by : session::steady::now());
        if (!pumped) return pumped.error();
    } while (s.deliveries.empty() && !s.woken && session::steady::now() < by);
    s.woken = false;
    std::vector<rabbit_delivery> out(std::make_move_iterator(s.deliveries.begin()),
                                     std::make_move_iterator(s.deliveries.end()));
    s.deliveries.clear();
    return out;
}

result<std::optional<rabbit_delivery>> rabbit::get(const std::string& queue) {
    if (!is_open()) return errc::store_unavailable;
    const amqp_rpc_reply_t reply =
        amqp_basic_get(session_->state(), only_channel, to_amqp(queue), 0);
    if (const auto done = session_->outcome(reply); !done) return done.error();
    if (reply.reply.id == AMQP_BASIC_GET_EMPTY_METHOD) return std::optional<rabbit_delivery>();
    const auto& ok = *static_cast<amqp_basic_get_ok_t*>(reply.reply.decoded);
    rabbit_delivery d{.tag = ok.delivery_tag, .redelivered = ok.redelivered != 0};
    if (const auto read = session_->read_message(d); !read) return read.error();
    amqp_maybe_release_buffers(session_->state());
    return std::optional(std::move(d));
}

result<void> rabbit::ack(std::uint64_t tag, bool all_before) {
    if (!is_open()) return errc::store_unavailable;
    return session_->outcome(
        amqp_basic_ack(session_->state(), only_channel, tag, all_before ? 1 : 0));
}

result<void> rabbit::reject(std::uint64_t tag) {
    if (!is_open()) return errc::store_unavailable;
    return session_->outcome(amqp_basic_reject(session_->state(), only_channel, tag, 0));
}

void rabbit::wake() { session_->wake(); }

void rabbit::interrupt() { session_->interrupt(); }

void rabbit::resume() { session_->resume(); }

}  // namespace floodgate::store
