#include "pay/bill_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <optional>
#include <stdexcept>

#include "pay/beijing_time.hpp"
#include "pay/bill_lines.hpp"
#include "pay/yuan.hpp"

namespace floodgate::pay {
namespace {

using bill_fields = std::vector<std::string>;

constexpr std::size_t number_bytes_max = 128;  // of trades and refunds

// What is wrong with the line that is being read. Never leaves this file.
struct line_fault : std::runtime_error {
    using runtime_error::runtime_error;
};

// "订单金额（元）" and "订单金额(元)" are titled "订单金额".
std::string_view bare_title(std::string_view title) {
    for (const std::string_view unit : {"（元）", "(元)"})
        if (title.ends_with(unit)) title.remove_suffix(unit.size());
    return title;
}

// Where the columns are.
class bill_columns {
public:
    explicit bill_columns(const bill_fields& titles) {
        for (const std::string& title : titles) titles_.emplace_back(bare_title(title));
    }
    std::size_t size() const { return titles_.size(); }
    bool has(std::string_view title) const { return std::ranges::count(titles_, title) > 0; }

    // The column of the first of these titles that there is.
    const std::string& in(const bill_fields& row,
                          std::initializer_list<std::string_view> titles) const {
        for (const std::string_view title : titles) {
            const auto found = std::ranges::find(titles_, title);
            if (found != titles_.end())
                return row[static_cast<std::size_t>(found - titles_.begin())];
        }
        throw line_fault(fmt::format("the bill has no column {}", *titles.begin()));
    }

private:
    std::vector<std::string> titles_;
};

void require_columns(const bill_columns& columns, std::initializer_list<std::string_view> titles) {
    for (const std::string_view title : titles)
        if (!columns.has(title))
            throw line_fault(fmt::format("no column {}: is this the right kind of bill?", title));
}

// Part of a sentence that a person reads.
std::string quoted(std::string_view text) {
    constexpr std::size_t shown_bytes_max = 60;
    return text.size() > shown_bytes_max ? "a long text" : fmt::format("\"{}\"", text);
}

sale::fen amount_in(std::string_view text, bill_kind kind) {
    // Refunds are written with a minus sign in some bills, and without it in others.
    if (kind == bill_kind::refund && text.starts_with('-')) text.remove_prefix(1);
    const auto amount = parse_yuan(text, zero_yuan::allowed);
    if (!amount) throw line_fault(quoted(text) + " is not an amount");
    if (amount->value > bill_amount_fen_max)
        throw line_fault(quoted(text) + " is more than any payment");
    return *amount;
}

instant time_in(std::string_view text) {
    const auto at = parse_beijing_text(text);
    if (!at) throw line_fault(quoted(text) + " is not a time");
    return *at;
}

const std::string& number_in(const std::string& text) {
    if (text.size() > number_bytes_max) throw line_fault("the number of a trade is too long");
    return text;
}

const std::string& channel_number_in(const std::string& text) {
    if (text.empty()) throw line_fault("the channel's number of the trade is missing");
    return number_in(text);
}

bill_row alipay_row(const bill_columns& columns, const bill_fields& fields) {
    bill_row row;
    const std::string& business = columns.in(fields, {"业务类型"});
    if (business != "交易" && business != "退款")
        throw line_fault(quoted(business) + " is not a known kind of business");
    row.kind = business == "退款" ? bill_kind::refund : bill_kind::payment;
    row.out_trade_no = number_in(columns.in(fields, {"商户订单号"}));
    row.channel_trade_no = channel_number_in(columns.in(fields, {"支付宝交易号"}));
    row.amount = amount_in(columns.in(fields, {"订单金额"}), row.kind);
    row.at = time_in(columns.in(fields, {"完成时间"}));
    if (row.kind == bill_kind::refund)
        row.refund_no = number_in(columns.in(fields, {"退款批次号/请求号"}));
    return row;
}

bill_row wechat_row(const bill_columns& columns, const bill_fields& fields) {
    bill_row row;
    const std::string& state = columns.in(fields, {"交易状态"});
    if (state != "SUCCESS" && state != "REFUND")
        throw line_fault(quoted(state) + " is not a known state");
    if (columns.has("货币种类") && columns.in(fields, {"货币种类"}) != "CNY")
        throw line_fault("the currency is not CNY");
    row.kind = state == "REFUND" ? bill_kind::refund : bill_kind::payment;
    row.out_trade_no = number_in(columns.in(fields, {"商户订单号"}));
    row.channel_trade_no = channel_number_in(columns.in(fields, {"微信订单号"}));
    row.at = time_in(columns.in(fields, {"交易时间"}));
    // The later titles are those of older bills, or of amounts after coupons.
    if (row.kind == bill_kind::payment) {
        row.amount =
            amount_in(columns.in(fields, {"订单金额", "应结订单金额", "总金额"}), row.kind);
    } else {
        row.amount = amount_in(columns.in(fields, {"申请退款金额", "退款金额"}), row.kind);
        row.refund_no = number_in(columns.in(fields, {"商户退款单号"}));
    }
    return row;
}

bill_fields fields_at_commas(std::string_view line) {
    auto fields = split_at_commas(line);
    if (!fields) throw line_fault("the quotes do not fit");
    return std::move(*fields);
}

// Takes the lines of one bill, after one another.
class alipay_table {
public:
    void take(const std::string& line, std::size_t number, bill& out) {
        if (line.starts_with('#')) {
            out.is_complete = out.is_complete || line.find("明细列表结束") != std::string::npos;
            return;
        }
        const bill_fields fields = fields_at_commas(line);
        if (!columns_) {
            columns_.emplace(fields);
            require_columns(*columns_, {"支付宝交易号", "商户订单号", "业务类型", "完成时间",
                                        "订单金额", "退款批次号/请求号"});
            return;
        }
        if (fields.size() != columns_->size())
            throw line_fault(
                fmt::format("{} fields, but {} columns", fields.size(), columns_->size()));
        out.rows.push_back(alipay_row(*columns_, fields));
        out.rows.back().line = number;
    }
    bool has_header() const { return columns_.has_value(); }

private:
    std::optional<bill_columns> columns_;
};

class wechat_table {
public:
    void take(const std::string& line, std::size_t number, bill& out) {
        // The titles come with or without back-ticks.
        const bill_fields fields =
            line.starts_with('`') ? split_at_ticks(line) : fields_at_commas(line);
        if (fields.front() == "总交易单数") {
            in_sums_ = true;
        } else if (in_sums_) {
            check_sums(fields.front(), out);
        } else if (!columns_) {
            columns_.emplace(fields);
            require_columns(*columns_, {"交易时间", "微信订单号", "商户订单号", "交易状态"});
        } else if (fields.size() != columns_->size()) {
            throw line_fault(
                fmt::format("{} fields, but {} columns", fields.size(), columns_->size()));
        } else {
            out.rows.push_back(wechat_row(*columns_, fields));
            out.rows.back().line = number;
        }
    }
    bool has_header() const { return columns_.has_value(); }

private:
    // The number of rows is written as "45", and also as "45.0".
    static void check_sums(std::string_view count, bill& out) {
        const std::string_view whole = count.substr(0, count.find('.'));
        if (out.is_complete || whole != std::to_string(out.rows.size()))
            throw line_fault(
                fmt::format("the sum says {} rows, but there are {}: parts are missing",
                            quoted(count), out.rows.size()));
        out.is_complete = true;
    }

    std::optional<bill_columns> columns_;
    bool in_sums_ = false;
};

bill failed(std::string fault, std::size_t line = 0) { return {{}, false, std::move(fault), line}; }

template <class Table>
bill read_table(std::string_view file, const bill_limits& limits) {
    if (file.size() > limits.bytes_max)
        return failed(fmt::format("the file has more than {} bytes", limits.bytes_max));
    bill out;
    Table table;
    bill_lines lines(file, limits.line_bytes_max);
    try {
        while (const auto line = lines.next()) {
            if (line->find_first_not_of(" \t") == std::string::npos) continue;
            table.take(*line, lines.number(), out);
            if (out.rows.size() > limits.rows_max)
                throw line_fault(fmt::format("more than {} rows", limits.rows_max));
        }
    } catch (const line_fault& fault) {
        return failed(fmt::format("line {}: {}", lines.number(), fault.what()), lines.number());
    }
    if (!lines.fault().empty()) return failed(lines.fault(), lines.number());
    if (!table.has_header()) return failed("the file has no table: is this a bill?");
    return out;
}

}  // namespace

const char* to_text(bill_kind k) {
    switch (k) {
    case bill_kind::payment: return "payment";
    case bill_kind::refund: return "refund";
    }
    return "unknown";
}

bool has_bills(std::string_view channel) { return channel == "alipay" || channel == "wechat"; }

bill read_bill(std::string_view channel, std::string_view file, const bill_limits& limits) {
    assert(has_bills(channel));
    return channel == "alipay" ? read_alipay_bill(file, limits) : read_wechat_bill(file, limits);
}

bill read_alipay_bill(std::string_view file, const bill_limits& limits) {
    return read_table<alipay_table>(file, limits);
}

bill read_wechat_bill(std::string_view file, const bill_limits& limits) {
    return read_table<wechat_table>(file, limits);
}

}  // namespace floodgate::pay
