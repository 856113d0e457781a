#include "sale/news_codec.hpp"

#include <array>

#include "base/bytes.hpp"

namespace floodgate::sale {
namespace {

constexpr std::uint8_t version = 2;
constexpr std::size_t word_bytes_max = 255;  // a reason

class byte_writer {
public:
    template <std::integral T>
    void number(T value) {
        std::array<std::byte, sizeof(T)> bytes;
        std::byte* at = bytes.data();
        put(at, value);
        out_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    void word(std::string_view text) {
        text = text.substr(0, word_bytes_max);
        number(static_cast<std::uint8_t>(text.size()));
        out_ += text;
    }
    std::string take_all() { return std::move(out_); }

private:
    std::string out_;
};

// Once something is missing, everything after it reads as zero and good() is false.
class byte_reader {
public:
    explicit byte_reader(std::string_view bytes) : left_(bytes) {}

    template <std::integral T>
    T number() {
        if (left_.size() < sizeof(T)) {
            fail();
            return {};
        }
        const auto* at = reinterpret_cast<const std::byte*>(left_.data());
        left_.remove_prefix(sizeof(T));
        return take<T>(at);
    }
    std::string word() {
        const auto size = number<std::uint8_t>();
        if (left_.size() < size) {
            fail();
            return {};
        }
        std::string text(left_.substr(0, size));
        left_.remove_prefix(size);
        return text;
    }
    bool good() const { return good_; }
    bool at_end() const { return left_.empty(); }

private:
    void fail() {
        good_ = false;
        left_ = {};
    }

    std::string_view left_;
    bool good_ = true;
};

void write(byte_writer& out, const order_news& n) {
    const order& o = n.what;
    out.number(n.event);
    out.number(o.no.value);
    out.number(o.sale.value);
    out.number(o.buyer.value);
    out.number(o.quantity);
    out.number(o.amount.value);
    out.number(o.amount_points.value);
    out.number(static_cast<std::uint8_t>(o.state));
    out.word(o.reason);
    out.number(to_ms(o.created_at));
    out.number(to_ms(o.pay_by));
    out.word(o.closing);
    out.number(o.refunded.value);
    out.word(o.method);
    for (const instant at : {o.paid_at, o.closed_at, o.refunded_at}) out.number(to_ms(at));
}

order_news read(byte_reader& in) {
    order_news n;
    order& o = n.what;
    n.event = in.number<std::int64_t>();
    o.no.value = in.number<std::uint64_t>();
    o.sale.value = in.number<std::int64_t>();
    o.buyer.value = in.number<std::int64_t>();
    o.quantity = in.number<std::uint32_t>();
    o.amount.value = in.number<std::int64_t>();
    o.amount_points.value = in.number<std::int64_t>();
    o.state = static_cast<order_state>(in.number<std::uint8_t>());
    o.reason = in.word();
    o.created_at = from_ms(in.number<std::int64_t>());
    o.pay_by = from_ms(in.number<std::int64_t>());
    o.closing = in.word();
    o.refunded.value = in.number<std::int64_t>();
    o.method = in.word();
    for (instant* at : {&o.paid_at, &o.closed_at, &o.refunded_at})
        *at = from_ms(in.number<std::int64_t>());
    return n;
}

bool is_sensible(const order& o) {
    const auto state = static_cast<std::uint8_t>(o.state);
    return o.no.value > 0 && o.buyer.value > 0 && state >= 1 && state <= order_states;
}

}  // namespace

std::string encode_news(std::span<const order_news> news) {
    byte_writer out;
    out.number(version);
    for (const order_news& n : news) write(out, n);
    return out.take_all();
}

std::optional<std::vector<order_news>> decode_news(std::string_view bytes) {
    byte_reader in(bytes);
    if (in.number<std::uint8_t>() != version) return std::nullopt;
    std::vector<order_news> out;
    while (!in.at_end()) {
        out.push_back(read(in));
        if (!in.good() || !is_sensible(out.back().what)) return std::nullopt;
    }
    if (!in.good()) return std::nullopt;
    return out;
}

}  // namespace floodgate::sale
