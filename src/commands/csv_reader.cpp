#include "commands/csv_reader.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace floodgate::commands {
namespace {

constexpr int end_of_file = std::istream::traits_type::eof();

}  // namespace

csv_reader::csv_reader(std::istream& in, std::size_t record_bytes_max)
    : in_(in), record_bytes_max_(record_bytes_max) {
    constexpr std::string_view mark = "\xef\xbb\xbf";
    std::string first(mark.size(), '\0');
    in_.read(first.data(), static_cast<std::streamsize>(first.size()));
    if (first == mark) return;
    in_.clear();
    in_.seekg(0);
}

void csv_reader::fail(const char* why) const {
    throw std::runtime_error(fmt::format("line {}: {}", began_, why));
}

void csv_reader::take(std::string& field, char c) {
    if (++record_bytes_ > record_bytes_max_) fail("the record is too long");
    if (c == '\n') ++at_line_;
    field += c;
}

// After the opening quote, up to and with the closing one.
void csv_reader::read_quoted(std::string& field) {
    for (;;) {
        const int c = in_.get();
        if (c == end_of_file) fail("a quote is never closed");
        if (c != '"') {
            take(field, static_cast<char>(c));
            continue;
        }
        if (in_.peek() != '"') break;
        take(field, static_cast<char>(in_.get()));
    }
    const int after = in_.peek();
    if (after != ',' && after != '\n' && after != '\r' && after != end_of_file)
        fail("there is text after a closing quote");
}

bool csv_reader::next(std::vector<std::string>& fields) {
    fields.assign(1, "");
    began_ = at_line_;
    record_bytes_ = 0;
    bool quoted = false;
    for (;;) {
        const int c = in_.get();
        if (c == end_of_file || c == '\n') {
            if (c == '\n') ++at_line_;
            if (!quoted && fields.back().ends_with('\r')) fields.back().pop_back();
            const bool blank = fields.size() == 1 && fields[0].empty() && !quoted;
            if (!blank) return true;
            if (c == end_of_file) return false;
            began_ = at_line_;
        } else if (c == ',') {
            fields.emplace_back();
            quoted = false;
        } else if (c == '"' && fields.back().empty() && !quoted) {
            quoted = true;
            read_quoted(fields.back());
        } else if (c == '\r' && quoted && in_.peek() == '\n') {
            continue;
        } else {
            take(fields.back(), static_cast<char>(c));
        }
    }
}

}  // namespace floodgate::commands
