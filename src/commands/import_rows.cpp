#include "commands/import_rows.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <span>
#include <stdexcept>
#include <vector>

#include "commands/csv_reader.hpp"

namespace floodgate::commands {
namespace {

namespace json = boost::json;

constexpr std::size_t line_bytes_max = 64 << 10;

enum class cell : unsigned char { text = 1, number, boolean, list, object, of_round };

struct column {
    std::string_view name;
    cell type;
};

constexpr column product_columns[] = {{"external_id", cell::text},      {"title", cell::text},
                                      {"list_price_fen", cell::number}, {"description", cell::text},
                                      {"pictures", cell::list},         {"metadata", cell::object}};
constexpr column sale_columns[] = {{"external_id", cell::text},
                                   {"product", cell::text},
                                   {"round", cell::text},
                                   {"round_title", cell::of_round},
                                   {"round_starts_at", cell::of_round},
                                   {"round_ends_at", cell::of_round},
                                   {"round_external_id", cell::of_round},
                                   {"price_fen", cell::number},
                                   {"stock", cell::number},
                                   {"price_points", cell::number},
                                   {"limit", cell::number},
                                   {"pay_within_s", cell::number},
                                   {"resell_refunded", cell::boolean},
                                   {"earns_points", cell::number},
                                   {"metadata", cell::object}};
constexpr column user_columns[] = {
    {"external_id", cell::text}, {"phone", cell::text}, {"nickname", cell::text}};

std::span<const column> columns_of(import_kind kind) {
    switch (kind) {
    case import_kind::products: return product_columns;
    case import_kind::sales: return sale_columns;
    case import_kind::users: return user_columns;
    }
    return {};
}

// A cell that is not what its column needs stays a text, and the reader of the line refuses it by
// the column's name.
json::value number_in(const std::string& text) {
    std::int64_t n = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, n);
    if (error == std::errc() && stop == end) return n;
    return json::string(text);
}

json::value boolean_in(const std::string& text) {
    if (text == "true" || text == "1") return true;
    if (text == "false" || text == "0") return false;
    return json::string(text);
}

// Addresses with blanks between them.
json::array list_in(std::string_view text) {
    json::array out;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        if (!word.empty()) out.emplace_back(json::string(word));
    }
    return out;
}

json::value object_in(const std::string& text) {
    boost::system::error_code broken;
    json::value out = json::parse(text, broken);
    return broken ? json::value(json::string(text)) : out;
}

void put_cell(json::object& row, const column& in, const std::string& text) {
    if (text.empty()) return;
    constexpr std::string_view round = "round_";
    switch (in.type) {
    case cell::text: row[in.name] = json::string(text); break;
    case cell::number: row[in.name] = number_in(text); break;
    case cell::boolean: row[in.name] = boolean_in(text); break;
    case cell::list: row[in.name] = list_in(text); break;
    case cell::object: row[in.name] = object_in(text); break;
    case cell::of_round: {
        if (!row["round"].is_object()) row["round"] = json::object();
        row["round"].get_object()[in.name.substr(round.size())] = json::string(text);
        break;
    }
    }
}

class csv_rows final : public import_rows {
public:
    csv_rows(const std::string& file, import_kind kind)
        : in_(file, std::ios::binary), reader_(in_) {
        if (!in_.is_open()) throw std::runtime_error(file + ": cannot be opened");
        const auto known = columns_of(kind);
        std::vector<std::string> names;
        if (!reader_.next(names)) throw std::runtime_error(file + ": has no header line");
        for (const std::string& name : names) {
            const auto found = std::ranges::find(known, name, &column::name);
            if (found == known.end()) {
                std::vector<std::string_view> all;
                for (const column& c : known) all.push_back(c.name);
                throw std::runtime_error(fmt::format("{}: there is no column \"{}\"; there are {}",
                                                     file, name, fmt::join(all, ", ")));
            }
            if (std::ranges::count(names, name) > 1)
                throw std::runtime_error(
                    fmt::format("{}: the column \"{}\" is there twice", file, name));
            columns_.push_back(*found);
        }
    }

    bool next(std::string& out) override {
        std::vector<std::string> fields;
        if (!reader_.next(fields)) return false;
        if (fields.size() > columns_.size())
            throw std::runtime_error(fmt::format("line {}: {} fields, but the header has {}",
                                                 reader_.line(), fields.size(), columns_.size()));
        json::object row;
        for (std::size_t i = 0; i < fields.size(); ++i) put_cell(row, columns_[i], fields[i]);
        out = json::serialize(row);
        return true;
    }
    std::size_t line() const override { return reader_.line(); }

private:
    std::ifstream in_;
    csv_reader reader_;
    std::vector<column> columns_;
};

class ndjson_rows final : public import_rows {
public:
    explicit ndjson_rows(const std::string& file) : in_(file, std::ios::binary) {
        if (!in_.is_open()) throw std::runtime_error(file + ": cannot be opened");
    }

    bool next(std::string& out) override {
        while (read_line(out)) {
            ++line_;
            if (out.ends_with('\r')) out.pop_back();
            if (line_ == 1 && out.starts_with("\xef\xbb\xbf")) out.erase(0, 3);
            if (out.find_first_not_of(" \t") != std::string::npos) return true;
        }
        return false;
    }
    std::size_t line() const override { return line_; }

private:
    bool read_line(std::string& out) {
        out.clear();
        for (int c = in_.get(); c != std::ifstream::traits_type::eof(); c = in_.get()) {
            if (c == '\n') return true;
            if (out.size() == line_bytes_max)
                throw std::runtime_error(
                    fmt::format("line {}: longer than {} bytes", line_ + 1, line_bytes_max));
            out += static_cast<char>(c);
        }
        return !out.empty();
    }

    std::ifstream in_;
    std::size_t line_ = 0;
};

}  // namespace

std::unique_ptr<import_rows> open_rows(const std::string& file, import_kind kind) {
    if (file.ends_with(".csv")) return std::make_unique<csv_rows>(file, kind);
    if (file.ends_with(".ndjson") || file.ends_with(".jsonl"))
        return std::make_unique<ndjson_rows>(file);
    throw std::invalid_argument(file + ": the name must end in .csv, .ndjson or .jsonl");
}

}  // namespace floodgate::commands
