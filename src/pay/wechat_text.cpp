#include "pay/wechat_text.hpp"

#include <algorithm>
#include <charconv>

namespace floodgate::pay {
namespace {

constexpr std::string_view probe_prefix = "WECHATPAY/SIGNTEST/";
constexpr std::size_t sealed_text_max = 128;  // serial, nonce, merchant
constexpr std::size_t signature_max = 2048;   // of a key with 12,000 bits
constexpr std::size_t time_digits_max = 10;   // until the year 2286
constexpr std::size_t header_max = 4096;

// What may stand between quotes in a header and in a signed line.
bool is_visible(char c) { return c > ' ' && c < '\x7F' && c != '"' && c != '\\'; }

bool is_sealed_text(std::string_view text, std::size_t max = sealed_text_max) {
    return !text.empty() && text.size() <= max && std::ranges::all_of(text, is_visible);
}

std::optional<instant> time_of(std::string_view digits) {
    if (digits.empty() || digits.size() > time_digits_max) return std::nullopt;
    std::uint64_t seconds = 0;  // unsigned: no minus sign is read
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, seconds);
    if (error != std::errc() || stop != end) return std::nullopt;
    return from_ms(static_cast<std::int64_t>(seconds) * 1000);
}

std::string joined_lines(std::initializer_list<std::string_view> all) {
    std::string text;
    for (const std::string_view line : all) text.append(line).append("\n");
    return text;
}

wechat_seal new_seal(const wechat_signer& by, instant now, std::string nonce) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch();
    return {by.mch_id, by.serial, std::to_string(seconds.count()), std::move(nonce), {}};
}

authenticity verify_seal(const std::string& text, const wechat_seal& seal,
                         const keys_by_serial& keys, instant now) {
    const auto at = time_of(seal.timestamp);
    if (seal.signature.empty()) return authenticity::without_signature;
    if (!at || !is_sealed_text(seal.nonce) || !is_sealed_text(seal.serial) ||
        seal.signature.size() > signature_max)
        return authenticity::malformed;
    if (seal.signature.starts_with(probe_prefix)) return authenticity::probe;
    if (std::chrono::abs(now - *at) >= wechat_clock_window) return authenticity::stale;
    const auto key = keys.find(seal.serial);
    if (key == keys.end()) return authenticity::unknown_serial;
    const bool good = key->second.verify_sha256(text, seal.signature);
    return good ? authenticity::genuine : authenticity::bad_signature;
}

struct seal_field {
    std::string_view name;
    std::string wechat_seal::*value;
};
constexpr seal_field seal_fields[] = {{"mchid", &wechat_seal::mch_id},
                                      {"nonce_str", &wechat_seal::nonce},
                                      {"timestamp", &wechat_seal::timestamp},
                                      {"serial_no", &wechat_seal::serial},
                                      {"signature", &wechat_seal::signature}};

bool take_text(std::string_view& rest, std::string_view expected) {
    if (!rest.starts_with(expected)) return false;
    rest.remove_prefix(expected.size());
    return true;
}

// One `name="value"`.
bool take_field(std::string_view& rest, wechat_seal& seal) {
    const std::string_view name = rest.substr(0, rest.find('='));
    const auto* field = std::ranges::find(seal_fields, name, &seal_field::name);
    if (field == std::end(seal_fields)) return false;
    rest.remove_prefix(name.size());
    if (!take_text(rest, "=\"")) return false;
    const std::string_view value = rest.substr(0, rest.find('"'));
    std::string& target = seal.*(field->value);
    if (!target.empty() || !is_sealed_text(value, signature_max)) return false;
    target = value;
    rest.remove_prefix(value.size());
    return take_text(rest, "\"");
}

}  // namespace

std::string wechat_request_text(const wechat_request& r, const wechat_seal& seal) {
    return joined_lines({r.method, r.target, seal.timestamp, seal.nonce, r.body});
}

std::string wechat_message_text(std::string_view body, const wechat_seal& seal) {
    return joined_lines({seal.timestamp, seal.nonce, body});
}

wechat_seal sign_wechat_request(const wechat_request& r, const wechat_signer& by, instant now,
                                std::string nonce) {
    wechat_seal seal = new_seal(by, now, std::move(nonce));
    seal.signature = by.key.sign_sha256(wechat_request_text(r, seal));
    return seal;
}

wechat_seal sign_wechat_message(std::string_view body, const wechat_signer& by, instant now,
                                std::string nonce) {
    wechat_seal seal = new_seal(by, now, std::move(nonce));
    seal.signature = by.key.sign_sha256(wechat_message_text(body, seal));
    return seal;
}

std::string to_authorization(const wechat_seal& seal) {
    std::string header = wechat_scheme;
    char before = ' ';
    for (const seal_field& field : seal_fields) {
        header.append(1, before).append(field.name).append("=\"");
        header.append(seal.*(field.value)).append("\"");
        before = ',';
    }
    return header;
}

std::optional<wechat_seal> parse_authorization(std::string_view header) {
    if (header.size() > header_max) return std::nullopt;
    wechat_seal seal;
    if (!take_text(header, wechat_scheme) || !take_text(header, " ")) return std::nullopt;
    for (std::size_t i = 0; i < std::size(seal_fields); ++i) {
        if (i > 0 && !take_text(header, ",")) return std::nullopt;
        while (take_text(header, " ")) continue;
        if (!take_field(header, seal)) return std::nullopt;
    }
    if (!header.empty()) return std::nullopt;
    return seal;
}

authenticity verify_wechat_request(const wechat_request& r, const wechat_seal& seal,
                                   const keys_by_serial& merchants, instant now) {
    return verify_seal(wechat_request_text(r, seal), seal, merchants, now);
}

authenticity verify_wechat_message(std::string_view body, const wechat_seal& seal,
                                   const keys_by_serial& platform, instant now) {
    return verify_seal(wechat_message_text(body, seal), seal, platform, now);
}

}  // namespace floodgate::pay
