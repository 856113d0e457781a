#include "base/config_file.hpp"

#include <fmt/format.h>
#include <toml.hpp>

#include <filesystem>
#include <set>
#include <sstream>

namespace floodgate {

struct config_file::contents {
    std::string path;
    toml::value root = toml::table{};
    std::set<std::string> asked;

    // Follows "edge.tls.certificate" down the tables; null when something on the way is absent.
    const toml::value* find(const std::string& key) {
        asked.insert(key);
        const toml::value* at = &root;
        std::istringstream parts(key);
        for (std::string part; std::getline(parts, part, '.');) {
            if (!at->is_table()) return nullptr;
            const auto found = at->as_table().find(part);
            if (found == at->as_table().end()) return nullptr;
            at = &found->second;
        }
        return at;
    }

    [[noreturn]] void fail(const std::string& key, const std::string& why) const {
        throw config_error(fmt::format("{}: {} {}", path, key, why));
    }

    void collect_unknown(const toml::value& at, const std::string& prefix,
                         std::vector<std::string>& unknown) const {
        for (const auto& [name, value] : at.as_table()) {
            const std::string key = prefix.empty() ? name : prefix + "." + name;
            if (value.is_table()) {
                collect_unknown(value, key, unknown);
            } else if (!asked.contains(key)) {
                unknown.push_back(key);
            }
        }
    }
};

config_file::config_file() : contents_(std::make_unique<contents>()) {}

config_file::config_file(const std::string& path) : config_file() {
    contents_->path = path;
    if (!std::filesystem::is_regular_file(path)) throw config_error(path + ": no such file");
    try {
        contents_->root = toml::parse(path);
    } catch (const std::exception& e) {
        std::string why = e.what();  // toml11 draws a picture over several lines: keep the first
        throw config_error(path + ": " + why.substr(0, why.find('\n')));
    }
}

config_file::~config_file() = default;
config_file::config_file(config_file&&) noexcept = default;

void config_file::read(const std::string& key, bool& value) {
    const auto* found = contents_->find(key);
    if (!found) return;
    if (!found->is_boolean()) contents_->fail(key, "must be true or false");
    value = found->as_boolean();
}

void config_file::read(const std::string& key, std::string& value) {
    const auto* found = contents_->find(key);
    if (!found) return;
    if (!found->is_string()) contents_->fail(key, "must be a string in quotes");
    value = found->as_string().str;
}

void config_file::read(const std::string& key, std::vector<std::string>& value) {
    const auto* found = contents_->find(key);
    if (!found) return;
    if (!found->is_array()) contents_->fail(key, "must be a list of strings");
    value.clear();
    for (const auto& item : found->as_array()) {
        if (!item.is_string()) contents_->fail(key, "must be a list of strings");
        value.push_back(item.as_string().str);
    }
}

void config_file::read(const std::string& key, std::int64_t& value, bounds allowed) {
    const auto* found = contents_->find(key);
    if (!found) return;
    if (!found->is_integer()) contents_->fail(key, "must be a whole number");
    const std::int64_t number = found->as_integer();
    if (number < allowed.min || number > allowed.max) {
        contents_->fail(
            key, fmt::format("must be from {} to {}, not {}", allowed.min, allowed.max, number));
    }
    value = number;
}

void config_file::read(const std::string& key, std::chrono::milliseconds& value,
                       bounds allowed_ms) {
    std::int64_t count = value.count();
    read(key, count, allowed_ms);
    value = std::chrono::milliseconds(count);
}

void config_file::expect_all_read() const {
    std::vector<std::string> unknown;
    contents_->collect_unknown(contents_->root, "", unknown);
    if (unknown.empty()) return;
    throw config_error(
        fmt::format("{}: unknown option {}", contents_->path, fmt::join(unknown, ", ")));
}

}  // namespace floodgate
