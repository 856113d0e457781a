#include "pay/external_channel.hpp"

#include <boost/json/serialize.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "base/cut_text.hpp"
#include "base/iso_time.hpp"
#include "pay/call_log.hpp"
#include "pay/call_recording.hpp"
#include "pay/external_notify.hpp"
#include "pay/json_values.hpp"
#include "pay/key_file.hpp"
#include "pay/settings_check.hpp"
#include "pay/shared_secret.hpp"
#include "store/http/http_caller.hpp"
#include "store/http/message_signature.hpp"

namespace floodgate::pay {
namespace {

using boost::json::object;
using words = std::span<const std::string_view>;

constexpr std::size_t refund_reason_bytes_max = 200;
constexpr std::array<std::string_view, 4> trade_words{"open", "paid", "closed", "absent"};
constexpr std::array<std::string_view, 2> refund_words{"refunded", "pending"};

object question(std::string_view event, const sale::order& o, sale::fen amount, instant now) {
    return {{"event", event},
            {"order_no", trade_number(o)},
            {"amount_fen", amount.value},
            {"sent_at", to_iso(now)}};
}

// The sentence names the option; the file is in it already.
shared_secret load_secret(const std::string& file, const char* option) {
    try {
        return shared_secret::from_file(file);
    } catch (const key_error& e) {
        throw key_error(fmt::format("{}: {}", option, e.what()));
    }
}

// The one that signs first.
std::vector<shared_secret> load_secrets(const external_files& f) {
    std::vector<shared_secret> all{load_secret(f.secret_file, "pay.external.secret_file")};
    if (f.old_secret_file.empty()) return all;
    all.push_back(load_secret(f.old_secret_file, "pay.external.old_secret_file"));
    if (all[0].bytes() == all[1].bytes())
        throw key_error(
            "pay.external.old_secret_file has the same secret as secret_file; it is for the one "
            "that was in use before, and empty otherwise");
    return all;
}

class external_channel final : public channel {
public:
    external_channel(const external_files& f, std::vector<shared_secret> secrets,
                     store::http_caller& by, const floodgate::clock& clock)
        : checkout_url_(f.checkout_url),
          webhook_url_(f.webhook_url),
          secrets_(std::move(secrets)),
          by_(by),
          clock_(clock) {}

    std::string_view method() const override { return "external"; }
    result<checkout> begin(const sale::order& o) override;
    trade query(const sale::order& o) override { return ask_about_trade("query", o); }
    trade close(const sale::order& o) override { return ask_about_trade("close", o); }
    refund_answer refund(const sale::order& o, const refund_request& r) override;

    bool sends_messages() const override { return true; }
    message read(const raw_message& m, instant now) override {
        return read_external_notify(m, secrets_, now);
    }

private:
    trade ask_about_trade(std::string_view event, const sale::order& o);
    std::string ask(std::string_view event, const object& body, words expected);
    store::http_question sealed(std::string body) const;
    // What `sign` gives for each secret, with commas between them.
    template <class Sign>
    std::string signatures(Sign sign) const;

    const std::string checkout_url_, webhook_url_;
    const std::vector<shared_secret> secrets_;
    store::http_caller& by_;
    const floodgate::clock& clock_;
    call_log log_{"external"};
};

template <class Sign>
std::string external_channel::signatures(Sign sign) const {
    std::string all;
    for (const shared_secret& secret : secrets_) {
        if (!all.empty()) all += ',';
        all += sign(secret.bytes());
    }
    return all;
}

// Everything in the address comes from the order, so a repeated call gives the same address.
result<checkout> external_channel::begin(const sale::order& o) {
    if (o.amount.value <= 0) return errc::invalid;
    const std::string query =
        fmt::format("order_no={}&amount_fen={}&expires_at={}", trade_number(o), o.amount.value,
                    store::message_timestamp(o.pay_by));
    const auto sign = [&](std::string_view secret) {
        return store::hmac_sha256_hex(secret, query);
    };
    return checkout{.redirect =
                        fmt::format("{}?{}&signature={}", checkout_url_, query, signatures(sign))};
}

trade external_channel::ask_about_trade(std::string_view event, const sale::order& o) {
    const instant now = clock_.now();
    const std::string word = ask(event, question(event, o, o.amount, now), trade_words);
    if (word == "open") return trade::open;
    if (word == "paid") return trade::paid;
    if (word == "closed") return trade::closed;
    if (word == "absent") return missing_trade(o, now);
    return trade::unsure;
}

// The shop gives the money back once for each refund_no; asked again, it says what became of it.
refund_answer external_channel::refund(const sale::order& o, const refund_request& r) {
    object body = question("refund", o, r.amount, clock_.now());
    body["refund_no"] = r.number;
    if (!r.reason.empty()) body["reason"] = cut_text(r.reason, refund_reason_bytes_max);
    const std::string word = ask("refund", body, refund_words);
    if (word == "refunded") return refund_answer::done;
    return word == "pending" ? refund_answer::under_way : refund_answer::unsure;
}

store::http_question external_channel::sealed(std::string body) const {
    const std::string timestamp = store::message_timestamp(clock_.now());
    std::string signature = signatures(
        [&](std::string_view secret) { return store::message_signature(secret, timestamp, body); });
    return {.verb = "POST",
            .url = webhook_url_,
            .headers = {{"Content-Type", "application/json"},
                        {"Accept", "application/json"},
                        {"User-Agent", "floodgate"},
                        {store::timestamp_header, timestamp},
                        {store::signature_header, std::move(signature)}},
            .body = std::move(body)};
}

// The shop's word; empty: it gave none of those that were expected.
std::string external_channel::ask(std::string_view event, const object& body, words expected) {
    noted_call noted(event, clock_);
    const store::http_answer a = by_.ask(sealed(boost::json::serialize(body)));
    std::string why;
    if (a.status != 200) {
        why = a.status == 0 ? a.error : fmt::format("HTTP {}", a.status);
    } else if (a.body.size() > external_answer_bytes_max) {
        why = "the answer is too long";
    } else {
        const auto fields = parse_json_object(a.body);
        std::string word = fields ? text_in(*fields, "status") : std::string();
        if (std::ranges::count(expected, word) > 0) {
            log_.succeeded();
            noted.came_to(call_outcome::answered, word);
            return word;
        }
        why = fmt::format("the answer has no status that is known here: {}", shown_word(word));
    }
    log_.failed(event, why);
    noted.came_to(a.status == 0 ? call_outcome::no_answer : call_outcome::garbled, why);
    return {};
}

}  // namespace

std::unique_ptr<channel> open_external(const external_files& files, store::http_caller& by,
                                       const floodgate::clock& clock) {
    require_callback(files.checkout_url, "pay.external.checkout_url");
    require_address(files.webhook_url, "pay.external.webhook_url");
    require_text(files.secret_file, "pay.external.secret_file");
    return std::make_unique<external_channel>(files, load_secrets(files), by, clock);
}

}  // namespace floodgate::pay
