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

// One option as it was asked for, for an operator to look at.
struct config_entry {
    std::string key;
    std::string value;     // in force, as TOML writes it
    std::string standard;  // what it is without a configuration file
    std::string from;      // "default", "file", "command line", "derived"
    bool secret = false;   // then value and standard are empty

    friend bool operator==(const config_entry&, const config_entry&) = default;
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
    // Every option that was asked for, in that order. Values of passwords, secrets and keys are
    // left out, and so is the part of an address that may hold one.
    std::vector<config_entry> entries() const;
    const std::string& path() const;  // empty: no file

    // From now on nothing here throws, except for a file that cannot be read: what is wrong is
    // added to `faults`, and the value stays as it was. `faults` must outlive this object.
    void collect_faults(std::vector<std::string>& faults);
    // Where the key stands: "floodgate.toml:7:1: "; only the file if it is not there.
    std::string place_of(const std::string& key);
    // Every key with its value as text, to compare two files. Has secrets: never show the values.
    std::map<std::string, std::string> values() const;

private:
    struct contents;
    std::unique_ptr<contents> contents_;
};

}  // namespace floodgate
