#include "commands/import.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <unistd.h>

#include "api/catalogue_fields.hpp"
#include "base/or_throw.hpp"
#include "engine/open_ledger.hpp"
#include "ledger/ledger.hpp"
#include "shop/catalogue_puts.hpp"

namespace floodgate::commands {
namespace {

using ledger::put_outcome;
using ledger::put_result;

constexpr std::size_t lines_per_transaction = 500;
constexpr std::int64_t lines_between_reports = 10'000;

// Tells how far the import is: on a terminal in one line, otherwise a line now and then.
class progress {
public:
    void tell(const import_summary& so_far) {
        if (so_far.lines < next_) return;
        next_ = so_far.lines + lines_between_reports;
        fmt::print(stderr, "{}{} lines{}", terminal_ ? "\r" : "", so_far.lines,
                   terminal_ ? "" : "\n");
        std::fflush(stderr);
    }
    void end() const {
        if (terminal_ && next_ > lines_between_reports) fmt::print(stderr, "\n");
    }

private:
    const bool terminal_ = isatty(STDERR_FILENO) != 0;
    std::int64_t next_ = lines_between_reports;
};

// `Read` makes a line of a JSON object, `Put` gives a result<std::vector<put_result>> for a batch.
template <class Line, class Read, class Put>
class importing {
public:
    importing(const std::string& file, Read read, Put put) : file_(file), read_(read), put_(put) {}

    import_summary run(import_rows& rows) {
        std::string json;
        while (rows.next(json)) {
            ++sum_.lines;
            api::body_fault fault;
            if (auto line = read_(json, fault)) {
                lines_.push_back(std::move(*line));
                numbers_.push_back(rows.line());
            } else {
                refuse(rows.line(), fault.field, fault.detail);
            }
            if (lines_.size() == lines_per_transaction) flush();
            progress_.tell(sum_);
        }
        flush();
        progress_.end();
        return sum_;
    }

private:
    void refuse(std::size_t line, const std::string& field, const std::string& detail) {
        ++sum_.refused;
        fmt::print(stderr, "{}:{}: {}{}{}\n", file_, line, field, field.empty() ? "" : ": ",
                   detail);
    }

    void flush() {
        if (lines_.empty()) return;
        const auto done = or_throw(put_(std::span<const Line>(lines_)), "ledger");
        for (std::size_t i = 0; i < done.size(); ++i) {
            const put_result& r = done[i];
            switch (r.what) {
            case put_outcome::created: ++sum_.created; break;
            case put_outcome::updated: ++sum_.updated; break;
            case put_outcome::unchanged: ++sum_.unchanged; break;
            case put_outcome::refused: refuse(numbers_[i], r.field, r.detail); break;
            case put_outcome::on_sale:
                refuse(numbers_[i], "external_id",
                       "the sale is published or paused: change it with PUT /api/v1/service/sales");
                break;
            }
        }
        lines_.clear();
        numbers_.clear();
    }

    const std::string& file_;
    Read read_;
    Put put_;
    progress progress_;
    import_summary sum_;
    std::vector<Line> lines_;
    std::vector<std::size_t> numbers_;
};

template <class Line, class Read, class Put>
import_summary import_lines(const std::string& file, import_rows& rows, Read read, Put put) {
    return importing<Line, Read, Put>(file, read, put).run(rows);
}

std::optional<sale::sale_line> read_draft(std::string_view text, api::body_fault& fault) {
    auto line = api::read_sale_line(text, fault);
    if (!line || !line->publish) return line;
    fault = {
        "publish",
        "an import makes drafts: publish them in the console or with PUT /api/v1/service/sales"};
    return std::nullopt;
}

import_kind kind_of(const std::string& what) {
    if (what == "products") return import_kind::products;
    if (what == "sales") return import_kind::sales;
    throw std::invalid_argument("import products or import sales, not \"" + what + "\"");
}

void expect_ledger(const engine::settings& s) {
    if (s.mode == engine::run_mode::embedded && !std::filesystem::exists(s.ledger_file()))
        throw std::runtime_error(s.data + " has no ledger: start the server once, then import");
}

}  // namespace

import_summary import_file(const engine::settings& s, const import_options& o) {
    const import_kind kind = kind_of(o.what);
    const auto rows = open_rows(o.file, kind);
    expect_ledger(s);
    ledger::ledger book(engine::open_database(s));
    ledger::catalogue_book& catalogue = book.catalogue();
    const instant now = wall_clock().now();
    const ledger::put_options how{now, o.dry_run};
    const ledger::put_signer sign = shop::signer_of({.who = {}, .at = now});
    const auto began = std::chrono::steady_clock::now();
    const import_summary sum =
        kind == import_kind::products
            ? import_lines<sale::product_line>(o.file, *rows, api::read_product_line,
                                               [&](std::span<const sale::product_line> lines) {
                                                   return catalogue.put_products(lines, how, sign);
                                               })
            : import_lines<sale::sale_line>(o.file, *rows, read_draft,
                                            [&](std::span<const sale::sale_line> lines) {
                                                return catalogue.put_sales(lines, how, sign);
                                            });
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    fmt::print("{}{} lines: {} created, {} updated, {} unchanged, {} refused, in {:.1f} s\n",
               o.dry_run ? "dry run, nothing was written: " : "", sum.lines, sum.created,
               sum.updated, sum.unchanged, sum.refused, took.count());
    return sum;
}

}  // namespace floodgate::commands
