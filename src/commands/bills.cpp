#include "commands/bills.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "base/or_throw.hpp"
#include "engine/open_ledger.hpp"
#include "ledger/ledger.hpp"
#include "pay/bill_file.hpp"

namespace floodgate::commands {
namespace {

std::string read_bill_file(const std::string& path) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(path, error);
    if (error) throw std::runtime_error(path + ": " + error.message());
    if (bytes > pay::bill_limits{}.bytes_max)
        throw std::runtime_error(path + ": too long for a bill");
    std::ifstream in(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (in.bad() || !in.is_open()) throw std::runtime_error(path + ": cannot be read");
    return text;
}

void add_sentences(std::vector<std::string>& said, const char* word,
                   const shop::bill_findings& found) {
    for (const shop::bill_finding& f : found.named) {
        const std::string order = f.order_no.empty() ? "" : " order " + f.order_no;
        const std::string line = f.line == 0 ? "" : fmt::format(" (line {})", f.line);
        said.push_back(fmt::format("{}{}{}: {}", word, order, line, f.why));
    }
}

}  // namespace

std::vector<std::string> sentences_about(const shop::bill_report& report) {
    std::vector<std::string> said;
    if (!report.is_complete)
        said.emplace_back("INCOMPLETE: the bill has no end, so it may have been cut off");
    add_sentences(said, "MISSING", report.missing);
    add_sentences(said, "EXTRA", report.extra);
    add_sentences(said, "DIFFERENT", report.different);
    return said;
}

std::vector<std::string> check_bill(const engine::settings& s, const bill_options& o) {
    const pay::bill bill = pay::read_bill(o.channel, read_bill_file(o.file));
    if (!bill.fault.empty()) throw std::runtime_error(o.file + ": " + bill.fault);
    ledger::ledger book(engine::open_database(s));
    ledger::settlements ours(book.database());
    const auto report = or_throw(shop::check_bill(bill, {o.channel}, ours), "ledger");
    fmt::print("{}: {} payments and refunds of {}\n", o.file, bill.rows.size(), o.channel);
    if (bill.rows.empty())
        fmt::print("it has no rows, so its day is not known and nothing was compared\n");
    return sentences_about(report);
}

}  // namespace floodgate::commands
