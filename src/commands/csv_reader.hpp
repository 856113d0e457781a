// Reads CSV as RFC 4180 has it: quotes, doubled quotes, line breaks in quotes, "\r\n" or "\n", and
// a UTF-8 byte order mark at the beginning. Bounded memory.

#pragma once

#include <cstddef>
#include <istream>
#include <string>
#include <vector>

namespace floodgate::commands {

class csv_reader {
public:
    explicit csv_reader(std::istream& in, std::size_t record_bytes_max = 256 << 10);

    // False: the file has ended. Blank lines are skipped. Throws std::runtime_error with the line:
    // a quote that is never closed, text after a closing quote, a record that is too long.
    bool next(std::vector<std::string>& fields);
    // The line on which the latest record began, from 1.
    std::size_t line() const { return began_; }

private:
    [[noreturn]] void fail(const char* why) const;
    void take(std::string& field, char c);
    void read_quoted(std::string& field);

    std::istream& in_;
    const std::size_t record_bytes_max_;
    std::size_t at_line_ = 1, began_ = 1;
    std::size_t record_bytes_ = 0;
};

}  // namespace floodgate::commands
