#include "sandbox/alipay_page.hpp"

#include <fmt/format.h>

#include <charconv>

#include "pay/beijing_time.hpp"
#include "sandbox/json_fields.hpp"
#include "sandbox/random_text.hpp"
#include "sandbox/trade_acts.hpp"

namespace floodgate::sandbox {
namespace {

using namespace std::chrono_literals;

constexpr auto expiry_max = std::chrono::days(15);
constexpr sale::fen page_amount_max{10'000'000'000};  // 100,000,000 yuan
constexpr std::size_t code_characters = 24;

ordered_page refuse_page(alipay_reply why) { return {{}, std::move(why)}; }

// Reads the order into a trade. `why` is set if it cannot be read.
trade read_page_order(const alipay_request& r, instant now, std::optional<alipay_reply>& why) {
    field_fault fault;
    json_fields fields(r.biz, fault);
    trade t{.channel = channel::alipay, .state = trade_state::asked, .created_at = now};
    t.out_trade_no =
        fields.text("out_trade_no", need::required, {.characters_max = 64, .also = "_"});
    t.amount = fields.yuan("total_amount", need::required);
    t.subject = fields.text("subject", need::required, {.characters_max = 256});
    t.body = fields.text("body", need::optional, {.characters_max = 128});
    t.passback = fields.text("passback_params", need::optional, {.characters_max = 512});
    const std::string product = fields.text("product_code", need::required, {.characters_max = 64});
    if (fault.field.empty() && product != "FAST_INSTANT_TRADE_PAY")
        fields.blame("product_code", "must be FAST_INSTANT_TRADE_PAY");
    const std::string at = fields.text("time_expire", need::optional, {.characters_max = 32});
    const std::string in = fields.text("timeout_express", need::optional, {.characters_max = 6});
    if (fault.field.empty() && (!at.empty() || !in.empty())) {
        // time_expire wins.
        const auto until = at.empty() ? alipay_timeout(in, now) : pay::parse_beijing_text(at);
        if (!until || *until <= now || *until > now + expiry_max)
            fields.blame(at.empty() ? "timeout_express" : "time_expire",
                         "must lie ahead by up to 15 days");
        t.expires_at = until.value_or(now);
    } else {
        t.expires_at = now + expiry_max;
    }
    t.notify_url = r.value("notify_url");
    t.return_url = r.value("return_url");
    t.fingerprint = fmt::format("{}\n{}\n{}\n{}\n{}\n{}", t.amount.value, t.subject, t.body,
                                t.passback, at, in);
    if (!fault.field.empty())
        why = business_failure("ACQ.INVALID_PARAMETER", fault.field + " " + fault.why);
    else if (t.amount > page_amount_max)
        why = business_failure("ACQ.TOTAL_FEE_EXCEED");
    return t;
}

// Why the trade that is there already cannot be paid on a new page.
std::optional<alipay_reply> obstacle(const trade& before, const trade& wanted) {
    switch (before.state) {
    case trade_state::asked: return std::nullopt;  // does not exist yet, so anything may change
    case trade_state::waiting:
        if (before.fingerprint == wanted.fingerprint) return std::nullopt;
        return business_failure("ACQ.CONTEXT_INCONSISTENT");
    case trade_state::paid: return business_failure("ACQ.TRADE_HAS_SUCCESS");
    case trade_state::finished: return business_failure("ACQ.TRADE_HAS_FINISHED");
    case trade_state::closed:
    case trade_state::refunded: break;
    }
    return business_failure("ACQ.TRADE_HAS_CLOSE");
}

}  // namespace

std::optional<instant> alipay_timeout(std::string_view text, instant now) {
    if (text == "1c") {
        const auto day = std::chrono::floor<std::chrono::days>(now + 8h) + std::chrono::days(1);
        return std::chrono::time_point_cast<milliseconds>(day - 8h);
    }
    int count = 0;
    const char* end = text.data() + text.size();
    const auto [unit, error] = std::from_chars(text.data(), end, count);
    if (error != std::errc() || unit + 1 != end || count < 1 || count > 21'600) return std::nullopt;
    milliseconds length{};
    switch (*unit) {
    case 'm': length = std::chrono::minutes(count); break;
    case 'h': length = std::chrono::hours(count); break;
    case 'd': length = std::chrono::days(count); break;
    default: return std::nullopt;
    }
    if (length > expiry_max) return std::nullopt;
    return now + length;
}

ordered_page order_alipay_page(platform& p, const alipay_request& r, instant now) {
    std::optional<alipay_reply> why;
    trade wanted = read_page_order(r, now, why);
    if (why) return refuse_page(std::move(*why));
    if (const trade* before = p.trades.find(channel::alipay, wanted.out_trade_no)) {
        if (auto no = obstacle(*before, wanted)) return refuse_page(std::move(*no));
        // The same order again opens the same page, and its time runs from the first request.
        if (before->fingerprint == wanted.fingerprint) {
            trade again = *before;
            again.return_url = wanted.return_url;
            p.trades.keep(again);
            return {again.code, std::nullopt};
        }
    }
    wanted.code = random_letters(code_characters);
    p.trades.keep(wanted);
    if (p.set.alipay_exists_at_once) open_trade(p, wanted, now);
    return {wanted.code, std::nullopt};
}

}  // namespace floodgate::sandbox
