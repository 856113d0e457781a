#include "api/picture_shelf.hpp"

#include <algorithm>

namespace floodgate::api {
namespace {

constexpr std::size_t hash_digits = 64;

}  // namespace

std::optional<picture_name> parse_picture_name(std::string_view name) {
    if (name.size() <= hash_digits + 1 || name[hash_digits] != '.') return std::nullopt;
    const std::string_view hash = name.substr(0, hash_digits);
    const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    if (!std::ranges::all_of(hash, is_digit)) return std::nullopt;
    const auto kind = kind_of_ending(name.substr(hash_digits + 1));
    if (!kind) return std::nullopt;
    return picture_name{std::string(hash), *kind};
}

std::string address_of(std::string_view hash, picture_kind kind) {
    return std::string("/pictures/").append(hash).append(".").append(file_ending(kind));
}

reply show_picture(const picture_name& name, std::shared_ptr<const std::string> content,
                   std::string_view if_none_match) {
    const std::string etag = "\"" + name.hash.substr(0, 32) + "\"";
    std::string headers =
        "ETag: " + etag + "\r\nCache-Control: public, max-age=31536000, immutable\r\n";
    if (if_none_match.find(etag) != std::string_view::npos || if_none_match == "*")
        return {.status = 304, .headers = std::move(headers)};
    return {.content_type = media_type_of(name.kind),
            .shared = all_of(std::move(content)),
            .headers = std::move(headers)};
}

std::string picture_shelf::key_of(const picture_name& name) {
    return name.hash + file_ending(name.kind);
}

std::shared_ptr<const std::string> picture_shelf::find(const picture_name& name) {
    const std::lock_guard lock(mutex_);
    const auto at = by_key_.find(key_of(name));
    if (at == by_key_.end()) return nullptr;
    newest_first_.splice(newest_first_.begin(), newest_first_, at->second);
    return at->second->content;
}

void picture_shelf::keep(const picture_name& name, std::shared_ptr<const std::string> content) {
    const std::lock_guard lock(mutex_);
    std::string key = key_of(name);
    if (by_key_.contains(key) || content->size() > options_.memory_bytes_max) return;
    bytes_ += content->size();
    newest_first_.push_front({key, std::move(content)});
    by_key_.emplace(std::move(key), newest_first_.begin());
    while (bytes_ > options_.memory_bytes_max) {
        const kept& last = newest_first_.back();
        bytes_ -= last.content->size();
        by_key_.erase(last.key);
        newest_first_.pop_back();
    }
}

std::size_t picture_shelf::bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
}

}  // namespace floodgate::api
