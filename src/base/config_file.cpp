#include "base/config_file.hpp"

#include <fmt/format.h>

#define TOML_ENABLE_FORMATTERS 0  // files are only read
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>

namespace floodgate {
namespace {

[[noreturn]] void fail_to_read(const std::string& path) {
    throw config_error(path + ": " + std::generic_category().message(errno));
}

std::string text_of(const std::string& path) {
    constexpr std::size_t block_bytes = 4096;
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                               std::fclose);
    if (!file) fail_to_read(path);
    std::string text;
    std::array<char, block_bytes> block{};
    while (const std::size_t got = std::fread(block.data(), 1, block.size(), file.get()))
        text.append(block.data(), got);
    if (std::ferror(file.get()) != 0) fail_to_read(path);  // a directory opens, but cannot be read
    return text;
}

// "floodgate.toml:3:8: ", as compilers write it.
std::string place(const std::string& path, const toml::source_region& where) {
    return fmt::format("{}:{}:{}: ", path, where.begin.line, where.begin.column);
}

std::string text_of_value(const toml::node& node) {
    if (const auto* list = node.as_array()) {
        std::string out;
        for (const toml::node& item : *list) out += text_of_value(item) + "\n";
        return out;
    }
    if (const auto text = node.value_exact<std::string>()) return *text;
    if (const auto number = node.value_exact<std::int64_t>()) return std::to_string(*number);
    if (const auto yes = node.value_exact<bool>()) return *yes ? "true" : "false";
    return "?";
}

struct stray {
    std::string key;
    toml::source_region where;
};

bool holds_secret(std::string_view key) {
    const std::string_view name = key.substr(key.rfind('.') + 1);
    if (name.ends_with("_file") || name.ends_with("_keys_max")) return false;
    return std::ranges::any_of(
        std::array<std::string_view, 4>{"password", "secret", "token", "_key"},
        [&](std::string_view word) { return name == word || name.ends_with(word); });
}

// "https://user:pass@host/path?key=1" -> "https://host/path?..."
std::string without_credentials(std::string text) {
    const std::size_t scheme = text.find("://");
    if (scheme == text.npos) return text;
    if (const std::size_t query = text.find('?'); query != text.npos)
        text.replace(query + 1, text.npos, "...");
    const std::size_t host = scheme + 3;
    const std::size_t at = text.rfind('@', std::min(text.find('/', host), text.size()));
    if (at != text.npos && at >= host) text.erase(host, at + 1 - host);
    return text;
}

std::string shown(bool value) { return value ? "true" : "false"; }
std::string shown(std::int64_t value) { return std::to_string(value); }
std::string shown(const std::string& value) { return '"' + without_credentials(value) + '"'; }
std::string shown(const std::vector<std::string>& value) {
    std::string out;
    for (const std::string& one : value) out += (out.empty() ? "" : ", ") + shown(one);
    return '[' + out + ']';
}
std::string shown(const std::map<std::string, std::string>& value) {
    std::string out;
    for (const auto& [name, one] : value)
        out += (out.empty() ? "" : ", ") + shown(name) + " = " + shown(one);
    return '{' + out + '}';
}

}  // namespace

struct config_file::contents {
    std::string path;
    toml::table root;
    std::set<std::string> asked;
    std::vector<config_entry> entries;

    // Notes how an option came out when the function that reads it ends.
    template <class Value>
    struct note {
        contents& to;
        const std::string& key;
        const Value& value;
        const toml::node* found;
        std::string before = shown(value);

        ~note() {
            config_entry e{key, shown(value), before, found ? "file" : "default",
                           holds_secret(key)};
            if (e.secret) e.value = e.standard = "";
            to.entries.push_back(std::move(e));
        }
    };

    // Follows "edge.tls.certificate" down the tables; null when something on the way is absent.
    const toml::node* find(const std::string& key) {
        asked.insert(key);
        const toml::node* at = &root;
        std::istringstream parts(key);
        for (std::string part; at != nullptr && std::getline(parts, part, '.');)
            at = at->is_table() ? at->as_table()->get(part) : nullptr;
        return at;
    }

    std::vector<std::string>* faults = nullptr;

    void fail(const std::string& sentence) const {
        if (faults == nullptr) throw config_error(sentence);
        faults->push_back(sentence);
    }
    void fail(const std::string& key, const toml::node& at, const std::string& why) const {
        fail(place(path, at.source()) + key + " " + why);
    }

    static void collect_values(const toml::table& table, const std::string& prefix,
                               std::map<std::string, std::string>& to) {
        for (const auto& [name, value] : table) {
            const std::string key = prefix + std::string(name.str());
            if (value.is_table()) {
                collect_values(*value.as_table(), key + ".", to);
            } else {
                to[key] = text_of_value(value);
            }
        }
    }

    void collect_unknown(const toml::table& table, const std::string& prefix,
                         std::vector<stray>& unknown) const {
        for (const auto& [name, value] : table) {
            const std::string key = prefix + std::string(name.str());
            if (value.is_table()) {
                collect_unknown(*value.as_table(), key + ".", unknown);
            } else if (!asked.contains(key)) {
                unknown.push_back({key, name.source()});
            }
        }
    }
};

config_file::config_file() : contents_(std::make_unique<contents>()) {}

config_file::config_file(const std::string& path) : config_file() {
    contents_->path = path;
    try {
        contents_->root = toml::parse(text_of(path), std::string_view(path));
    } catch (const toml::parse_error& e) {
        throw config_error(place(path, e.source()) + std::string(e.description()));
    }
}

config_file::~config_file() = default;
config_file::config_file(config_file&&) noexcept = default;

void config_file::read(const std::string& key, bool& value) {
    const auto* found = contents_->find(key);
    const contents::note<std::remove_cvref_t<decltype(value)>> noted{*contents_, key, value, found};
    if (!found) return;
    if (!found->is_boolean()) return contents_->fail(key, *found, "must be true or false");
    value = found->as_boolean()->get();
}

void config_file::read(const std::string& key, std::string& value) {
    const auto* found = contents_->find(key);
    const contents::note<std::remove_cvref_t<decltype(value)>> noted{*contents_, key, value, found};
    if (!found) return;
    if (!found->is_string()) return contents_->fail(key, *found, "must be a string in quotes");
    value = found->as_string()->get();
}

void config_file::read(const std::string& key, std::vector<std::string>& value) {
    const auto* found = contents_->find(key);
    const contents::note<std::remove_cvref_t<decltype(value)>> noted{*contents_, key, value, found};
    if (!found) return;
    if (!found->is_array()) return contents_->fail(key, *found, "must be a list of strings");
    value.clear();
    for (const toml::node& item : *found->as_array()) {
        if (!item.is_string()) return contents_->fail(key, item, "must be a list of strings");
        value.push_back(item.as_string()->get());
    }
}

void config_file::read(const std::string& key, std::map<std::string, std::string>& value) {
    const auto* found = contents_->find(key);
    const contents::note<std::remove_cvref_t<decltype(value)>> noted{*contents_, key, value, found};
    if (!found) return;
    if (!found->is_table()) return contents_->fail(key, *found, "must be a table of strings");
    value.clear();
    for (const auto& [name, item] : *found->as_table()) {
        const std::string whole = key + "." + std::string(name.str());
        contents_->asked.insert(whole);
        if (!item.is_string()) return contents_->fail(whole, item, "must be a string in quotes");
        value.emplace(name.str(), item.as_string()->get());
    }
}

void config_file::read(const std::string& key, std::int64_t& value, bounds allowed) {
    const auto* found = contents_->find(key);
    const contents::note<std::remove_cvref_t<decltype(value)>> noted{*contents_, key, value, found};
    if (!found) return;
    if (!found->is_integer()) return contents_->fail(key, *found, "must be a whole number");
    const std::int64_t number = found->as_integer()->get();
    if (number < allowed.min || number > allowed.max) {
        return contents_->fail(
            key, *found,
            fmt::format("must be from {} to {}, not {}", allowed.min, allowed.max, number));
    }
    value = number;
}

void config_file::read(const std::string& key, std::chrono::milliseconds& value,
                       bounds allowed_ms) {
    std::int64_t count = value.count();
    read(key, count, allowed_ms);
    value = std::chrono::milliseconds(count);
}

const std::string& config_file::path() const { return contents_->path; }

std::vector<config_entry> config_file::entries() const { return contents_->entries; }

void config_file::expect_all_read() const {
    std::vector<stray> unknown;
    contents_->collect_unknown(contents_->root, "", unknown);
    if (unknown.empty()) return;
    std::string keys;
    for (const stray& s : unknown) keys += (keys.empty() ? "" : ", ") + s.key;
    if (contents_->faults != nullptr) {
        for (const stray& s : unknown)
            contents_->fail(place(contents_->path, s.where) + "unknown option " + s.key);
        return;
    }
    throw config_error(place(contents_->path, unknown.front().where) + "unknown option " + keys);
}

void config_file::collect_faults(std::vector<std::string>& faults) { contents_->faults = &faults; }

std::string config_file::place_of(const std::string& key) {
    const toml::node* found = contents_->find(key);
    if (found != nullptr) return place(contents_->path, found->source());
    return (contents_->path.empty() ? "configuration" : contents_->path) + ": ";
}

std::map<std::string, std::string> config_file::values() const {
    std::map<std::string, std::string> out;
    contents::collect_values(contents_->root, "", out);
    return out;
}

}  // namespace floodgate
