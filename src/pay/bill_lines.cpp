#include "pay/bill_lines.hpp"

#include <boost/locale/utf.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iconv.h>

namespace floodgate::pay {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

bool is_utf8(std::string_view text) {
    namespace utf = boost::locale::utf;
    for (auto at = text.begin(); at != text.end();) {
        const utf::code_point c = utf::utf_traits<char>::decode(at, text.end());
        if (c == utf::illegal || c == utf::incomplete) return false;
    }
    return true;
}

std::string trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t";
    const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
    text.remove_prefix(begin);
    return std::string(text.substr(0, text.find_last_not_of(blanks) + 1));
}

// What stands in quotes at the beginning of `rest`, and removes it with the quotes.
std::optional<std::string> take_quoted(std::string_view& rest) {
    std::string out;
    for (std::size_t i = 1; i < rest.size(); ++i) {
        if (rest[i] == '"') {
            if (rest.substr(i + 1, 1) != "\"") {
                rest.remove_prefix(i + 1);
                return out;
            }
            ++i;
        }
        out.push_back(rest[i]);
    }
    return std::nullopt;
}

}  // namespace

bill_lines::bill_lines(std::string_view text, std::size_t line_bytes_max)
    : rest_(text), line_bytes_max_(line_bytes_max) {
    if (rest_.starts_with(byte_order_mark)) rest_.remove_prefix(byte_order_mark.size());
    if (is_utf8(rest_)) return;
    converter_ = ::iconv_open("UTF-8", "GBK");
    // NOLINTNEXTLINE(performance-no-int-to-ptr): that is how iconv_open says it
    if (converter_ != reinterpret_cast<iconv_t>(-1)) return;
    converter_ = nullptr;
    rest_ = {};
    fault_ = "the file is not UTF-8, and this machine cannot read GBK: convert it to UTF-8 first";
}

bill_lines::~bill_lines() {
    if (converter_ != nullptr) ::iconv_close(converter_);
}

std::optional<std::string> bill_lines::next() {
    if (rest_.empty() || !fault_.empty()) return std::nullopt;
    ++number_;
    std::string_view line = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(std::min(rest_.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.size() > line_bytes_max_) {
        fail(fmt::format("longer than {} bytes", line_bytes_max_));
        return std::nullopt;
    }
    return converter_ == nullptr ? std::string(line) : from_gbk(line);
}

std::optional<std::string> bill_lines::from_gbk(std::string_view line) {
    std::string out(line.size() * 2, '\0');  // two bytes of GBK are three of UTF-8 at most
    // iconv does not write to its input; its type is older than const.
    char* in = const_cast<char*>(line.data());
    std::size_t in_left = line.size();
    char* at = out.data();
    std::size_t out_left = out.size();
    ::iconv(converter_, nullptr, nullptr, nullptr, nullptr);  // begin anew
    if (::iconv(converter_, &in, &in_left, &at, &out_left) == static_cast<std::size_t>(-1)) {
        fail("neither UTF-8 nor GBK");
        return std::nullopt;
    }
    out.resize(out.size() - out_left);
    return out;
}

void bill_lines::fail(std::string_view what) { fault_ = fmt::format("line {}: {}", number_, what); }

std::optional<std::vector<std::string>> split_at_commas(std::string_view line) {
    std::vector<std::string> fields;
    for (;;) {
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        std::string quoted;
        const bool is_quoted = line.starts_with('"');
        if (is_quoted) {
            auto text = take_quoted(line);
            if (!text) return std::nullopt;
            quoted = std::move(*text);
        }
        const std::string_view plain = line.substr(0, line.find(','));
        if (is_quoted && plain.find_first_not_of(" \t") != std::string_view::npos)
            return std::nullopt;
        fields.push_back(trimmed(is_quoted ? std::string_view(quoted) : plain));
        if (plain.size() == line.size()) return fields;
        line.remove_prefix(plain.size() + 1);
    }
}

std::vector<std::string> split_at_ticks(std::string_view line) {
    constexpr std::string_view border = ",`";
    std::vector<std::string> fields;
    if (line.starts_with('`')) line.remove_prefix(1);
    for (;;) {
        const std::size_t end = std::min(line.find(border), line.size());
        fields.push_back(trimmed(line.substr(0, end)));
        if (end == line.size()) return fields;
        line.remove_prefix(end + border.size());
    }
}

}  // namespace floodgate::pay
