// The trades of both channels: in memory, and in a database so that a restart keeps them.
//
// Used by one thread at a time. Changes throw store::sql_error; then nothing was changed.

#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/trade.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::sandbox {

// Above it the oldest trade is forgotten.
inline constexpr std::size_t trades_max = 100'000;

class trade_store {
public:
    // Makes the tables if they are missing, and reads what is in them.
    explicit trade_store(store::database& db, std::size_t most = trades_max);

    // Null: there is none. The pointers are good until the next keep().
    const trade* find(channel c, std::string_view out_trade_no) const;
    const trade* find_number(channel c, std::string_view number) const;
    const trade* find_code(std::string_view code) const;
    // WeChat Pay's refund numbers are unique for a merchant.
    const trade* find_wechat_refund(std::string_view out_refund_no) const;

    // Adds the trade, or puts it in the place of the one with its channel and out_trade_no.
    void keep(const trade& t);

    // The trades that wait for payment and must be closed by now, oldest deadline first.
    std::vector<trade> overdue(instant now, std::size_t most) const;
    instant next_deadline() const;  // `never`: there is none

    std::vector<const trade*> newest_first(std::size_t most) const;
    std::size_t size() const { return trades_.size(); }

private:
    struct key {
        sandbox::channel channel;
        std::string out_trade_no;
        // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads the generated comparison
        friend auto operator<=>(const key&, const key&) = default;
    };
    struct number_key {
        sandbox::channel channel;
        std::string number;
        // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads the generated comparison
        friend auto operator<=>(const number_key&, const number_key&) = default;
    };

    void load(store::connection& c);
    void write(const trade& t);
    void index(const trade& t);
    void unindex(const trade& t);
    void forget_oldest();
    const trade* at(const key& k) const;

    store::database& db_;
    const std::size_t most_;
    std::map<key, trade> trades_;
    std::map<number_key, key> by_number_;
    std::map<std::string, key, std::less<>> by_code_;
    std::map<std::string, key, std::less<>> by_wechat_refund_;
    std::set<std::pair<instant, key>> deadlines_;
    std::set<std::pair<instant, key>> by_age_;
};

}  // namespace floodgate::sandbox
