// Uploaded pictures in memory: those that were asked for lately, up to a number of bytes.

#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "api/picture_header.hpp"
#include "api/reply.hpp"

namespace floodgate::api {

struct picture_options {
    std::size_t bytes_max = 2 << 20;          // of one picture
    std::size_t memory_bytes_max = 64 << 20;  // of all that are kept in memory
    std::uint32_t side_max = 8000;            // pixels
};

// "<64 hexadecimal digits>.png"; empty: no such picture can exist.
struct picture_name {
    std::string hash;
    picture_kind kind{};
};
std::optional<picture_name> parse_picture_name(std::string_view name);
std::string address_of(std::string_view hash, picture_kind kind);  // "/pictures/<hash>.png"

// With the headers that let browsers keep it for ever: the name says what the content is.
reply show_picture(const picture_name& name, std::shared_ptr<const std::string> content,
                   std::string_view if_none_match);

// Any thread.
class picture_shelf {
public:
    explicit picture_shelf(const picture_options& o = {}) : options_(o) {}
    const picture_options& options() const { return options_; }

    // Null: it is not in memory.
    std::shared_ptr<const std::string> find(const picture_name& name);
    void keep(const picture_name& name, std::shared_ptr<const std::string> content);
    std::size_t bytes() const;

private:
    struct kept {
        std::string key;
        std::shared_ptr<const std::string> content;
    };
    static std::string key_of(const picture_name& name);

    const picture_options options_;
    mutable std::mutex mutex_;  // guards all below
    std::list<kept> newest_first_;
    std::unordered_map<std::string, std::list<kept>::iterator> by_key_;
    std::size_t bytes_ = 0;
};

}  // namespace floodgate::api
