// For tests: promises that can be told apart, and a look at what a journal holds.

#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "journal/journal.hpp"
#include "store/files/simulated_files.hpp"

namespace floodgate::journal {

inline constexpr const char* test_directory = "journal";

// The promise that tests append at place `number`.
inline sale::promise numbered(std::uint64_t number) {
    sale::promise p;
    p.order = {1'000'000 + number};
    p.sale = {static_cast<std::int64_t>(number % 7 + 1)};
    p.buyer = {static_cast<std::int64_t>(number)};
    p.unit_price = {static_cast<std::int64_t>(number * 100)};
    p.at = from_ms(1'800'000'000'000 + static_cast<std::int64_t>(number));
    p.key.fill(static_cast<std::byte>(number * 31));
    return p;
}

// Every file of the journal directory, by path.
inline std::vector<std::string> files_in(store::simulated_files& files) {
    std::vector<std::string> paths;
    const auto names = files.list(test_directory);
    if (names)
        for (const auto& name : *names) paths.push_back(std::string(test_directory) + "/" + name);
    return paths;
}

// Reads everything after `after` and expects it to be numbered(after + 1), ... up to durable().
inline void expect_whole_line(journal& opened, sale::sequence after = {0}) {
    std::vector<sale::promise> found;
    std::uint64_t number = after.value;
    while (number < opened.durable().value) {
        ASSERT_TRUE(opened.read({number}, 10, found)) << "after " << number;
        ASSERT_FALSE(found.empty()) << "a gap after " << number;
        for (const auto& p : found) ASSERT_EQ(p, numbered(++number)) << "at " << number;
    }
    ASSERT_EQ(number, opened.durable().value);
}

// Why the journal does not open; empty when it opens.
inline std::string why_not_open(store::file_system& files, sale::sequence entered = {0}) {
    try {
        journal opened(files, {test_directory, 1024}, entered);
        return "";
    } catch (const std::runtime_error& e) {
        return e.what();
    }
}

}  // namespace floodgate::journal
