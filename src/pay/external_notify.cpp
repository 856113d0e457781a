#include "pay/external_notify.hpp"

#include "pay/authenticity.hpp"
#include "pay/content_type.hpp"
#include "pay/json_values.hpp"
#include "sale/order_number.hpp"
#include "store/http/message_signature.hpp"

namespace floodgate::pay {
namespace {

constexpr std::size_t notify_fields = 2;

authenticity judge_seal(store::seal_check how) {
    switch (how) {
    case store::seal_check::good: return authenticity::genuine;
    case store::seal_check::absent: return authenticity::without_signature;
    case store::seal_check::stale: return authenticity::stale;
    case store::seal_check::malformed:
    case store::seal_check::bad: break;
    }
    return authenticity::bad_signature;
}

authenticity judge_seal(const raw_message& m, std::span<const shared_secret> secrets, instant now) {
    authenticity how = authenticity::without_signature;
    for (const shared_secret& secret : secrets) {
        how =
            judge_seal(store::check_seal(secret.bytes(), {m.timestamp, m.signature}, m.body, now));
        if (how == authenticity::genuine) break;
    }
    return how;
}

message failed(authenticity how) { return {.fault = to_text(how)}; }

}  // namespace

message read_external_notify(const raw_message& m, std::span<const shared_secret> secrets,
                             instant now) {
    if (!has_type(m.content_type, "application/json")) return {.fault = "wrong_content_type"};
    if (m.body.size() > external_notify_bytes_max) return {.fault = "too_long"};
    const authenticity how = judge_seal(m, secrets, now);
    if (how != authenticity::genuine) return failed(how);
    const auto fields = parse_json_object(m.body);
    if (!fields || fields->size() != notify_fields) return failed(authenticity::malformed);
    const auto amount = integer_in(*fields, "amount_fen");
    if (!amount || !fields->contains("order_no")) return failed(authenticity::malformed);
    message out{.says = trade::paid, .amount = {*amount}};
    out.order = sale::parse_order_no(text_in(*fields, "order_no")).value_or(sale::order_no{});
    if (out.order == sale::order_no{}) {
        out.fault = "other_order";
    } else if (*amount <= 0) {
        out.fault = "bad_amount";
    }
    return out;
}

}  // namespace floodgate::pay
