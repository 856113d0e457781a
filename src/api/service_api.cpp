#include "api/service_api.hpp"

#include <boost/json/serialize.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "api/admin_desk.hpp"
#include "api/catalogue_fields.hpp"
#include "api/detail_zh.hpp"
#include "api/failure.hpp"

namespace floodgate::api {
namespace {

namespace json = boost::json;
using ledger::put_outcome;
using ledger::put_result;

const char* word_of(put_outcome what) {
    switch (what) {
    case put_outcome::created: return "created";
    case put_outcome::updated: return "updated";
    case put_outcome::unchanged: return "unchanged";
    case put_outcome::refused:
    case put_outcome::on_sale: break;
    }
    return "refused";
}

problem problem_of(errc why) {
    switch (why) {
    case errc::not_found: return problem::not_found;
    case errc::already_exists: return problem::already_exists;
    case errc::conflict: return problem::conflict;
    case errc::invalid: return problem::invalid;
    default: return problem::busy;
    }
}

// A line of the answer is a line of the request, so the problem is short.
json::object short_problem(problem p, const call& c, const body_fault& fault) {
    json::object out{{"code", code_of(p)}, {"title", title_of(p, c.language)}};
    if (!fault.detail.empty())
        out["detail"] = c.language == language::zh ? in_chinese(fault.detail).value_or(fault.detail)
                                                   : fault.detail;
    if (!fault.field.empty()) out["field"] = fault.field;
    return out;
}

std::size_t count_lines(std::string_view body) {
    return static_cast<std::size_t>(std::ranges::count(body, '\n')) +
           (!body.empty() && !body.ends_with('\n') ? 1 : 0);
}

// Takes the first line off `rest`. "\r\n" ends a line as well.
std::string_view next_line(std::string_view& rest) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(rest.size(), end + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t") == line.npos; }

// Reads the lines of a body, hands them on in batches, and writes the answer. `Put` gives a
// result<std::vector<put_result>> for a batch.
template <class Line, class Read, class Put>
class batch_reply {
public:
    batch_reply(const call& c, Read read, Put put) : call_(c), read_(read), put_(put) {}

    reply run() {
        if (const std::size_t lines = count_lines(call_.body); lines > batch_lines_max)
            return problem_reply(
                problem::payload_too_large, call_.language,
                {{"detail", fmt::format("a batch may have {} lines", batch_lines_max)}});
        std::string_view rest = call_.body;
        for (std::size_t number = 1; !rest.empty(); ++number) {
            take(number, next_line(rest));
            if (lines_.size() == lines_per_transaction) flush();
        }
        flush();
        return {.content_type = "application/x-ndjson", .body = std::move(out_)};
    }

private:
    struct asked {
        std::size_t number = 0;
        std::string external_id;
        std::optional<put_result> refused;  // before the ledger was asked
        problem why{};
    };

    void take(std::size_t number, std::string_view text) {
        if (is_blank(text)) return;
        body_fault fault;
        std::optional<Line> line;
        if (text.size() > batch_line_bytes_max) {
            fault.detail = fmt::format("a line may have {} bytes", batch_line_bytes_max);
        } else {
            line = read_(text, fault);
        }
        asked a{.number = number, .external_id = line ? line->external_id : ""};
        if (line) {
            lines_.push_back(std::move(*line));
        } else {
            a.refused =
                put_result{put_outcome::refused, 0, errc::invalid, fault.field, fault.detail};
            a.why = problem::bad_request;
        }
        asked_.push_back(std::move(a));
    }

    void flush() {
        std::vector<put_result> results;
        if (!lines_.empty()) {
            auto done = put_(std::span<const Line>(lines_));
            if (done)
                results = std::move(*done);
            else
                results.assign(lines_.size(), {put_outcome::refused, 0, errc::store_unavailable, "",
                                               "nothing of this batch was written: send it again"});
        }
        std::size_t next = 0;
        for (const asked& a : asked_) {
            if (a.refused) {
                write(a, *a.refused, a.why);
            } else {
                const put_result& r = results.at(next++);
                write(a, r, problem_of(r.why));
            }
        }
        asked_.clear();
        lines_.clear();
    }

    void write(const asked& a, const put_result& r, problem why) {
        json::object line{{"line", a.number}, {"result", word_of(r.what)}};
        if (!a.external_id.empty()) line["external_id"] = a.external_id;
        if (r.id != 0) line["id"] = r.id;
        if (r.what == put_outcome::refused)
            line["problem"] = short_problem(why, call_, {r.field, r.detail});
        out_ += json::serialize(line);
        out_ += '\n';
    }

    const call& call_;
    Read read_;
    Put put_;
    std::vector<asked> asked_;
    std::vector<Line> lines_;
    std::string out_;
};

template <class Line, class Read, class Put>
reply put_lines(const call& c, Read read, Put put) {
    return batch_reply<Line, Read, Put>(c, read, put).run();
}

}  // namespace

reply put_products(services& with, const call& c) {
    return put_lines<sale::product_line>(c, read_product_line,
                                         [&](std::span<const sale::product_line> lines) {
                                             return with.desk.put_products(lines, admin_of(c));
                                         });
}

reply put_sales(services& with, const call& c) {
    return put_lines<sale::sale_line>(c, read_sale_line,
                                      [&](std::span<const sale::sale_line> lines) {
                                          return with.desk.put_sales(lines, admin_of(c));
                                      });
}

}  // namespace floodgate::api
