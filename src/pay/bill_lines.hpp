// The lines of a bill as UTF-8 text, whatever it was written in.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace floodgate::pay {

// Goes through a text line by line. A text that is not UTF-8 is read as GBK, the usual encoding of
// Alipay's bills.
class bill_lines {
public:
    bill_lines(std::string_view text, std::size_t line_bytes_max);
    bill_lines(const bill_lines&) = delete;
    bill_lines& operator=(const bill_lines&) = delete;
    ~bill_lines();

    // The next line without its end; empty after the last one and after a fault.
    std::optional<std::string> next();
    std::size_t number() const { return number_; }  // of that line, from 1
    // "line 7: ...", or empty: there was none so far.
    const std::string& fault() const { return fault_; }

private:
    std::optional<std::string> from_gbk(std::string_view line);
    void fail(std::string_view what);

    std::string_view rest_;
    const std::size_t line_bytes_max_;
    void* converter_ = nullptr;  // iconv_t; null: the text is UTF-8
    std::size_t number_ = 0;
    std::string fault_;
};

// Fields without the blanks and tabs around them.
//
// By commas; a field in double quotes may contain them, and two quotes stand for one. Empty: the
// quotes do not fit.
std::optional<std::vector<std::string>> split_at_commas(std::string_view line);
// By ",`", as WeChat Pay writes it: a back-tick before each field, so that commas may stand in
// them.
std::vector<std::string> split_at_ticks(std::string_view line);

}  // namespace floodgate::pay
