#include "alarm/webhook.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <fmt/chrono.h>

#include <stdexcept>
#include <utility>

#include "base/backoff.hpp"
#include "base/log.hpp"
#include "base/random_id.hpp"
#include "store/http/http_client.hpp"
#include "store/http/message_signature.hpp"

namespace floodgate::alarm {
namespace {

constexpr std::chrono::seconds grace{2};
constexpr milliseconds after_exception{1000};
constexpr milliseconds pause_max = std::chrono::hours(24);
constexpr std::size_t id_bytes = 16;

std::string iso(instant t) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(t);
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)),
                       (t - seconds).count());
}

std::string header_line(const char* name, const std::string& value) {
    return std::string(name).append(": ").append(value);
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

webhook::webhook(webhook_options o, const clock& clock)
    : options_(std::move(o)),
      clock_(clock),
      task_(
          "webhook", after_exception, [this] { return step(); }, [this] { finish(); }) {
    if (const std::string fault = store::fault_of_url(options_.url); !fault.empty())
        throw std::runtime_error("the webhook's address " + fault);
    if (options_.secret.empty()) throw std::runtime_error("the webhook has no secret to sign with");
}

webhook::~webhook() { stop(); }

void webhook::stop() {
    {
        const std::scoped_lock lock(mutex_);
        if (!stop_by_) stop_by_ = machine_time.now() + grace;
    }
    task_.stop();
}

void webhook::send(const notice& n) {
    std::string id = random_id(id_bytes);
    std::string body = webhook_body(id, options_.node, n);
    {
        const std::scoped_lock lock(mutex_);
        if (queue_.size() >= options_.queue_max) {
            queue_.pop_front();
            ++figures_.dropped;
        }
        queue_.push_back({std::move(id), std::move(body)});
    }
    task_.wake();
}

webhook::figures webhook::read_figures() const {
    const std::scoped_lock lock(mutex_);
    figures f = figures_;
    f.waiting = queue_.size() + (in_hand_ ? 1 : 0);
    return f;
}

next_step webhook::step() {
    if (!take_one()) return next_step::when_woken();
    ++tries_;
    const result how = attempt(*in_hand_, why_);
    if (how == result::failed && tries_ < options_.attempts) {
        const backoff pauses{options_.first_wait, pause_max};
        return next_step::not_before(pauses.after(tries_));
    }
    put_down(how);
    return next_step::at_once();
}

// False: there is nothing to send.
bool webhook::take_one() {
    const std::scoped_lock lock(mutex_);
    if (in_hand_) return true;
    if (queue_.empty()) return false;
    in_hand_ = std::move(queue_.front());
    queue_.pop_front();
    tries_ = 0;
    return true;
}

void webhook::put_down(result how) {
    const bool sent = how == result::sent;
    if (!sent)
        log::error("alarm.webhook_failed", "id", in_hand_->id, "tries", tries_, "reason", why_);
    const std::scoped_lock lock(mutex_);
    ++(sent ? figures_.sent : figures_.failed);
    in_hand_.reset();
}

void webhook::finish() {
    if (in_hand_) put_down(result::failed);
    const std::scoped_lock lock(mutex_);
    if (!queue_.empty()) log::warning("alarm.webhook_left", "messages", queue_.size());
}

webhook::result webhook::attempt(const message& m, std::string& why) const {
    const std::string timestamp = store::message_timestamp(clock_.now());
    const store::http_outcome got = store::http_post(
        options_.url,
        {"Content-Type: application/json", header_line(store::timestamp_header, timestamp),
         header_line(store::signature_header,
                     store::message_signature(options_.secret, timestamp, m.body))},
        m.body,
        {.connect = options_.timeout,
         .total = options_.timeout,
         .allow_private = options_.allow_private,
         .give_up = [this] { return out_of_grace(); }});
    if (got.status >= 200 && got.status < 300) return result::sent;
    why = got.status == 0 ? got.error : "HTTP status " + std::to_string(got.status);
    return got.forbidden || !worth_another_try(got.status) ? result::refused : result::failed;
}

bool webhook::out_of_grace() const {
    const std::scoped_lock lock(mutex_);
    return stop_by_ && machine_time.now() >= *stop_by_;
}

}  // namespace floodgate::alarm
