#include "alarm/webhook.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <fmt/chrono.h>
#include <sodium.h>

#include <array>
#include <stdexcept>
#include <utility>

#include "base/bytes.hpp"
#include "base/hex.hpp"
#include "base/log.hpp"
#include "base/thread.hpp"
#include "store/http/http_client.hpp"

namespace floodgate::alarm {
namespace {

constexpr std::chrono::seconds grace{2};

const unsigned char* bytes_of(const std::string& text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

std::string iso(instant t) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(t);
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)),
                       (t - seconds).count());
}

std::string fresh_id() {
    std::array<std::byte, 16> bytes{};
    randombytes_buf(bytes.data(), bytes.size());
    return to_hex(bytes);
}

bool worth_another_try(int status) {
    return status < 300 || status >= 500 || status == 408 || status == 429;
}

}  // namespace

std::string webhook_body(const std::string& id, std::uint32_t node, const notice& n) {
    return boost::json::serialize(boost::json::object{{"id", id},
                                                      {"alert", to_text(n.what.kind)},
                                                      {"subject", n.what.subject},
                                                      {"detail", n.what.detail},
                                                      {"state", n.cleared ? "cleared" : "raised"},
                                                      {"since", iso(n.what.since)},
                                                      {"at", iso(n.at)},
                                                      {"node", node}});
}

std::string webhook_signature(const std::string& secret, const std::string& timestamp,
                              const std::string& body) {
    const std::string text = timestamp + "." + body;
    std::array<std::byte, crypto_auth_hmacsha256_BYTES> mac{};
    crypto_auth_hmacsha256_state state;  // unlike the one-call form it takes keys of any length
    crypto_auth_hmacsha256_init(&state, bytes_of(secret), secret.size());
    crypto_auth_hmacsha256_update(&state, bytes_of(text), text.size());
    crypto_auth_hmacsha256_final(&state, reinterpret_cast<unsigned char*>(mac.data()));
    return "v1=" + to_hex(mac);
}

webhook::webhook(webhook_options o, const clock& clock) : options_(std::move(o)), clock_(clock) {
    if (sodium_init() < 0) throw std::runtime_error("libsodium cannot be initialised");
    if (const std::string fault = store::fault_of_url(options_.url); !fault.empty())
        throw std::runtime_error("the webhook's address " + fault);
    if (options_.secret.empty()) throw std::runtime_error("the webhook has no secret to sign with");
}

webhook::~webhook() { stop(); }

void webhook::start() {
    thread_ = std::thread([this] { work(); });
}

void webhook::stop() {
    {
        const std::scoped_lock lock(mutex_);
        stopping_ = true;
        stop_by_ = std::chrono::steady_clock::now() + grace;
    }
    wake_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void webhook::send(const notice& n) {
    std::string id = fresh_id();
    std::string body = webhook_body(id, options_.node, n);
    {
        const std::scoped_lock lock(mutex_);
        if (queue_.size() >= options_.queue_max) {
            queue_.pop_front();
            ++figures_.dropped;
        }
        queue_.push_back({std::move(id), std::move(body)});
    }
    wake_.notify_all();
}

webhook::figures webhook::read_figures() const {
    const std::scoped_lock lock(mutex_);
    figures f = figures_;
    f.waiting = queue_.size() + (in_hand_ ? 1 : 0);
    return f;
}

void webhook::work() {
    name_thread("webhook");
    std::unique_lock lock(mutex_);
    for (;;) {
        wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
        if (stopping_) break;
        const message m = std::move(queue_.front());
        queue_.pop_front();
        in_hand_ = true;
        lock.unlock();
        deliver(m);
        lock.lock();
        in_hand_ = false;
    }
    if (!queue_.empty()) log::warning("alarm.webhook_left", "messages", queue_.size());
}

void webhook::deliver(const message& m) {
    milliseconds wait = options_.first_wait;
    std::string why;
    for (std::uint32_t tried = 1;; ++tried, wait *= 2) {
        const result r = attempt(m, why);
        if (r == result::sent) {
            const std::scoped_lock lock(mutex_);
            ++figures_.sent;
            return;
        }
        if (r == result::refused || tried >= options_.attempts || !rest(wait)) {
            log::error("alarm.webhook_failed", "id", m.id, "tries", tried, "reason", why);
            const std::scoped_lock lock(mutex_);
            ++figures_.failed;
            return;
        }
    }
}

webhook::result webhook::attempt(const message& m, std::string& why) const {
    const auto now = std::chrono::floor<std::chrono::seconds>(clock_.now());
    const std::string timestamp = std::to_string(now.time_since_epoch().count());
    const store::http_outcome got = store::http_post(
        options_.url,
        {"Content-Type: application/json", "Floodgate-Timestamp: " + timestamp,
         "Floodgate-Signature: " + webhook_signature(options_.secret, timestamp, m.body)},
        m.body,
        {.connect = options_.timeout,
         .total = options_.timeout,
         .allow_private = options_.allow_private,
         .give_up = [this] { return out_of_grace(); }});
    if (got.status >= 200 && got.status < 300) return result::sent;
    why = got.status == 0 ? got.error : "HTTP status " + std::to_string(got.status);
    return got.forbidden || !worth_another_try(got.status) ? result::refused : result::failed;
}

// False: there is no time left.
bool webhook::rest(milliseconds time) {
    std::unique_lock lock(mutex_);
    return !wake_.wait_for(lock, time, [this] { return stopping_; });
}

bool webhook::out_of_grace() const {
    const std::scoped_lock lock(mutex_);
    return stopping_ && std::chrono::steady_clock::now() >= stop_by_;
}

}  // namespace floodgate::alarm
