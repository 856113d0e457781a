// A channel's daily bill: what the channel says was paid and given back, to be held against our
// journals.
//
// Alipay: the "business detail" table (业务明细) of the trade bill, as CSV. Lines that begin with #
// are remarks. WeChat Pay: the trade bill (ALL, SUCCESS or REFUND), as CSV with a back-tick before
// each field; its last two lines sum it up. Columns are found by their titles, in any order. Both
// may be UTF-8, with or without a byte order mark, or GBK.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "sale/ids.hpp"

namespace floodgate::pay {

enum class bill_kind : std::uint8_t { payment = 1, refund };
const char* to_text(bill_kind k);

struct bill_row {
    std::string out_trade_no;      // ours; empty for what was not sold through the API
    std::string channel_trade_no;  // the channel's
    bill_kind kind = bill_kind::payment;
    // Ours: out_request_no, out_refund_no. Empty for a payment, and for a refund by other means.
    std::string refund_no;
    sale::fen amount;  // of the order, or of the refund: 0 to bill_amount_fen_max
    instant at;
    std::size_t line = 0;  // where it stands in the file

    friend bool operator==(const bill_row&, const bill_row&) = default;
};

struct bill_limits {
    std::size_t bytes_max = 268'435'456;
    std::size_t line_bytes_max = 16'384;
    std::size_t rows_max = 1'000'000;
};

// Ten billion yuan. A bill of rows_max such rows can still be summed up.
inline constexpr std::int64_t bill_amount_fen_max = 1'000'000'000'000;

struct bill {
    std::vector<bill_row> rows;
    // The closing line (Alipay) or the sums (WeChat Pay) were there. Without them the file may have
    // been cut off between two lines.
    bool is_complete = false;
    // Why it could not be read, with the line's number; then there are no rows. A kind of business
    // that is not known here is a fault too: no money is passed over in silence.
    std::string fault;
    std::size_t fault_line = 0;  // 0: no line is to blame
};

// By the channel's name: "alipay", "wechat".
bool has_bills(std::string_view channel);
bill read_bill(std::string_view channel, std::string_view file, const bill_limits& limits = {});

bill read_alipay_bill(std::string_view file, const bill_limits& limits = {});
bill read_wechat_bill(std::string_view file, const bill_limits& limits = {});

}  // namespace floodgate::pay
