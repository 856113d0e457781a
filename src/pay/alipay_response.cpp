#include "pay/alipay_response.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <vector>

namespace floodgate::pay {
namespace {

constexpr std::string_view error_key = "error_response";

// Reads the top level of a JSON object from the left. After the first thing that cannot be right,
// `ok` is false for good.
struct node_scanner {
    std::string_view rest;
    bool ok = true;

    void skip_blanks() {
        rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
    }
    bool take(char c) {
        skip_blanks();
        if (!ok || rest.empty() || rest.front() != c) return false;
        rest.remove_prefix(1);
        return true;
    }
    void must(char c) { ok = take(c); }

    // With its quotes.
    std::string_view string() {
        if (!ok || rest.empty() || rest.front() != '"') return fail();
        for (std::size_t i = 1; i < rest.size(); ++i) {
            if (rest[i] == '\\') {
                ++i;
            } else if (rest[i] == '"') {
                return cut(i + 1);
            }
        }
        return fail();
    }
    // An object or array with all that is in it.
    std::string_view nested() {
        const std::string_view all = rest;
        std::size_t depth = 0;
        while (ok && !rest.empty()) {
            const char c = rest.front();
            if (c == '"') {
                string();
                continue;
            }
            rest.remove_prefix(1);
            if (c == '{' || c == '[') ++depth;
            if ((c == '}' || c == ']') && --depth == 0)
                return all.substr(0, all.size() - rest.size());
        }
        return fail();
    }
    std::string_view value() {
        skip_blanks();
        if (!ok || rest.empty()) return fail();
        if (rest.front() == '"') return string();
        if (rest.front() == '{' || rest.front() == '[') return nested();
        const std::size_t end = rest.find_first_of(",}] \t\r\n\"{[:");
        return end == 0 || end == std::string_view::npos ? fail() : cut(end);
    }

private:
    std::string_view cut(std::size_t size) {
        const std::string_view taken = rest.substr(0, size);
        rest.remove_prefix(size);
        return taken;
    }
    std::string_view fail() {
        ok = false;
        return {};
    }
};

struct member {
    std::string_view name;   // without quotes
    std::string_view value;  // raw
};

constexpr std::size_t members_max = 16;  // at the top; the real ones have two or three

// The members at the top; empty if there is anything wrong, or nothing.
std::vector<member> members_of(std::string_view body) {
    node_scanner in{body};
    std::vector<member> found;
    in.must('{');
    do {
        in.skip_blanks();
        const std::string_view quoted = in.string();
        in.must(':');
        const std::string_view value = in.value();
        if (!in.ok || found.size() == members_max) return {};
        const std::string_view name = quoted.substr(1, quoted.size() - 2);
        const bool repeated =
            std::ranges::any_of(found, [&](const member& m) { return m.name == name; });
        // An escape could spell a name that was there already.
        if (repeated || name.find('\\') != std::string_view::npos) return {};
        found.push_back({name, value});
    } while (in.take(','));
    in.must('}');
    in.skip_blanks();
    if (!in.ok || !in.rest.empty()) return {};
    return found;
}

std::string_view member_value(const std::vector<member>& all, std::string_view name) {
    const auto found = std::ranges::find(all, name, &member::name);
    return found == all.end() ? std::string_view() : found->value;
}

// "\/" as "/", unless the backslash is itself escaped.
std::string with_plain_slashes(std::string_view node) {
    std::string out;
    out.reserve(node.size());
    for (std::size_t i = 0; i < node.size(); ++i) {
        if (node[i] == '\\' && i + 1 < node.size()) {
            if (node[i + 1] != '/') out.push_back('\\');
            ++i;
        }
        out.push_back(node[i]);
    }
    return out;
}

bool is_signed(std::string_view node, std::string_view sign, const public_key& platform) {
    if (platform.verify_sha256(node, sign)) return true;
    if (node.find("\\/") == std::string_view::npos) return false;
    return platform.verify_sha256(with_plain_slashes(node), sign);
}

}  // namespace

std::string alipay_response_key(std::string_view method) {
    std::string key(method);
    std::ranges::replace(key, '.', '_');
    return key + "_response";
}

alipay_response_parts split_alipay_response(std::string_view body, std::string_view method) {
    if (body.size() > alipay_response_bytes_max) return {};
    const std::vector<member> all = members_of(body);
    alipay_response_parts parts;
    parts.node = member_value(all, alipay_response_key(method));
    if (parts.node.empty()) {
        parts.node = member_value(all, error_key);
        parts.is_error = !parts.node.empty();
    }
    if (!parts.node.starts_with('{') || !parts.node.ends_with('}')) return {};
    const std::string_view sign = member_value(all, "sign");
    if (sign.empty()) return parts;
    boost::system::error_code broken;
    const boost::json::value text = boost::json::parse(sign, broken);
    if (broken || !text.is_string()) return {};
    parts.sign = text.get_string();
    return parts;
}

alipay_response verify_alipay_response(std::string_view body, std::string_view method,
                                       const public_key& platform) {
    const alipay_response_parts parts = split_alipay_response(body, method);
    alipay_response response{authenticity::malformed, parts.node, parts.is_error};
    if (parts.node.empty()) return response;
    if (parts.sign.empty()) {
        response.how = authenticity::without_signature;
        return response;
    }
    const bool good = is_signed(parts.node, parts.sign, platform);
    response.how = good ? authenticity::genuine : authenticity::bad_signature;
    return response;
}

std::string sign_alipay_response(std::string_view method, std::string_view node,
                                 const private_key& platform) {
    std::string out = "{\"" + alipay_response_key(method) + "\":";
    out.append(node).append(",\"sign\":\"").append(platform.sign_sha256(node)).append("\"}");
    return out;
}

}  // namespace floodgate::pay
