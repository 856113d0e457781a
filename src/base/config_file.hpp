// A TOML file that is read once. A key in the file that the program does not ask for is an error.
//
//   config_file file("floodgate.toml");
//   file.read("edge.connections_max", options.connections_max, {.min = 1, .max = 1'000'000});
//   file.expect_all_read();   // throws, naming the keys that were not asked for
//
// Everything here throws config_error with one clear line: file, line, column, key, what is wrong.
//
//   floodgate.toml:7:19: edge.connections_max must be from 1 to 1000000, not 0
//   floodgate.toml: Permission denied

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/bounds.hpp"

namespace floodgate {

struct config_error : std::runtime_error {
    using runtime_error::runtime_error;
};

class config_file {
public:
    config_file();  // no file: every option keeps its default
    explicit config_file(const std::string& path);
    ~config_file();
    config_file(config_file&&) noexcept;

    // Each leaves `value` alone when the key is absent.
    void read(const std::string& key, bool& value);
    void read(const std::string& key, std::string& value);
    void read(const std::string& key, std::vector<std::string>& value);
    // A table of strings, whose names are free: { "A" = "a.pem", "B" = "b.pem" }
    void read(const std::string& key, std::map<std::string, std::string>& value);
    void read(const std::string& key, std::int64_t& value, bounds allowed);
    void read(const std::string& key, std::chrono::milliseconds& value, bounds allowed_ms);

    template <class Integer>
    void read(const std::string& key, Integer& value, bounds allowed) {
        auto wide = static_cast<std::int64_t>(value);
        read(key, wide, allowed);
        value = static_cast<Integer>(wide);
    }

    void expect_all_read() const;
    const std::string& path() const;  // empty: no file

private:
    struct contents;
    std::unique_ptr<contents> contents_;
};

}  // namespace floodgate
