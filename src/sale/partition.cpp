#include "sale/partition.hpp"

#include <charconv>

namespace floodgate::sale {
namespace {

bool read_number(std::string_view text, std::uint64_t& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string key_of(std::string_view name, partition p, std::string_view what) {
    std::string key(name);
    key += ":{";
    key += std::to_string(p.number);
    key += "}:";
    key += what;
    return key;
}

std::string entry_id(line_place last) {
    return std::to_string(last.epoch) + "-" + std::to_string(last.number);
}

std::optional<line_place> parse_entry_id(std::string_view id) {
    const std::size_t dash = id.find('-');
    line_place at;
    if (dash == std::string_view::npos || !read_number(id.substr(0, dash), at.epoch) ||
        !read_number(id.substr(dash + 1), at.number))
        return std::nullopt;
    return at;
}

std::string encode_entry(std::span<const promise> promises) {
    std::string out;
    out.reserve(promises.size() * promise_bytes);
    for (const promise& p : promises) {
        const encoded_promise bytes = encode(p);
        out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    return out;
}

std::optional<std::vector<promise>> decode_entry(std::string_view bytes) {
    if (bytes.empty() || bytes.size() % promise_bytes != 0) return std::nullopt;
    std::vector<promise> out;
    out.reserve(bytes.size() / promise_bytes);
    for (; !bytes.empty(); bytes.remove_prefix(promise_bytes)) {
        const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
        const auto p = decode_promise(byte_view(first, promise_bytes));
        if (!p) return std::nullopt;
        out.push_back(*p);
    }
    return out;
}

}  // namespace floodgate::sale
