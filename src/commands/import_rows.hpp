// The lines of a file that is imported, each as the JSON object of the bulk calls, whatever the
// file's format is.

#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace floodgate::commands {

enum class import_kind : unsigned char { products = 1, sales, users };

class import_rows {
public:
    virtual ~import_rows() = default;
    // False: the file has ended. Throws std::runtime_error when it cannot be read on.
    virtual bool next(std::string& json) = 0;
    virtual std::size_t line() const = 0;  // of the latest row, from 1
};

// By the file's name: .csv, .ndjson or .jsonl. Throws std::invalid_argument for another name, and
// std::runtime_error when the file cannot be opened or a column is unknown.
std::unique_ptr<import_rows> open_rows(const std::string& file, import_kind kind);

}  // namespace floodgate::commands
