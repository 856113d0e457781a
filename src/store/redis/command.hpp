// Commands for a Redis server: words in its protocol, scripts, and the key that decides which
// server gets the command. Both clients use these.

#pragma once

#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>

namespace floodgate::store {

// Words on their way to a server, encoded as they are added.
class words {
public:
    words() = default;
    words(std::initializer_list<std::string_view> list) {
        for (const std::string_view word : list) add(word);
    }

    void add(std::string_view word);
    void add(const std::string& word) { add(std::string_view(word)); }
    void add(const char* word) { add(std::string_view(word)); }
    void add(std::int64_t number);
    void append(const words& more);

    std::size_t count() const { return count_; }
    std::string_view front() const;  // empty: there is none

    // The command these words are, after `first`.
    void write_to(std::string& out, std::initializer_list<std::string_view> first = {}) const;

private:
    std::string bytes_;
    std::size_t count_ = 0;
};

// A Lua script. It is called by its SHA-1, and its text is sent when the server does not know it.
// It is hashed at its first use, so that a script may be an object of namespace scope.
class redis_script {
public:
    explicit redis_script(std::string_view text) : text_(text) {}
    const std::string& text() const { return text_; }
    const std::string& sha() const;

private:
    std::string text_;
    mutable std::once_flag hashed_;
    mutable std::string sha_;
};

// How a command goes out.
struct redis_sending {
    bool asking = false;  // after ASKING, as an ASK error demands
    bool whole = false;   // send a script's text instead of its hash
};

struct redis_command {
    std::string key;  // one that the command names; empty: any server will do
    words what;       // of a script: the number of keys, the keys, the arguments
    const redis_script* script = nullptr;  // outlives the command

    // Gives the number of answers to come; the last one is the command's.
    std::size_t write_to(std::string& out, const redis_sending& how) const;
    std::string_view name() const { return script != nullptr ? "EVALSHA" : what.front(); }
};

// The keys are all in one slot.
redis_command to_run(const redis_script& script, const words& keys, const words& arguments);

}  // namespace floodgate::store
