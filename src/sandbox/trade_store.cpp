#include "sandbox/trade_store.hpp"

#include <cassert>
#include <stdexcept>

namespace floodgate::sandbox {
namespace {

constexpr const char* trades_table = R"(
    CREATE TABLE IF NOT EXISTS trades (
        channel TEXT NOT NULL, out_trade_no TEXT NOT NULL, number TEXT NOT NULL,
        code TEXT NOT NULL, amount_fen INTEGER NOT NULL, subject TEXT NOT NULL,
        body TEXT NOT NULL, passback TEXT NOT NULL, fingerprint TEXT NOT NULL,
        notify_url TEXT NOT NULL, return_url TEXT NOT NULL, payer TEXT NOT NULL,
        state TEXT NOT NULL, created_at INTEGER NOT NULL, code_expires_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL, closes_at INTEGER NOT NULL, paid_at INTEGER,
        closed_at INTEGER, PRIMARY KEY (channel, out_trade_no)) WITHOUT ROWID)";
constexpr const char* refunds_table = R"(
    CREATE TABLE IF NOT EXISTS refunds (
        channel TEXT NOT NULL, out_trade_no TEXT NOT NULL, place INTEGER NOT NULL,
        request_no TEXT NOT NULL, number TEXT NOT NULL, amount_fen INTEGER NOT NULL,
        reason TEXT NOT NULL, notify_url TEXT NOT NULL, asked_at INTEGER NOT NULL,
        settles_at INTEGER NOT NULL, result TEXT NOT NULL,
        PRIMARY KEY (channel, out_trade_no, place)) WITHOUT ROWID)";

// What the database says must be one of our words.
template <class Word>
Word known(const std::optional<Word>& word, const char* what) {
    if (!word) throw std::runtime_error(std::string("the sandbox's file has an unknown ") + what);
    return *word;
}

trade read_trade(const store::row_cursor& rows) {
    trade t;
    std::string channel, state;
    rows.read(channel, t.out_trade_no, t.number, t.code, t.amount, t.subject, t.body, t.passback,
              t.fingerprint, t.notify_url, t.return_url, t.payer, state, t.created_at,
              t.code_expires_at, t.expires_at, t.closes_at, t.paid_at, t.closed_at);
    t.channel = known(parse_channel(channel), "channel");
    t.state = known(parse_state(state), "state of a trade");
    return t;
}

}  // namespace

trade_store::trade_store(store::database& db, std::size_t most) : db_(db), most_(most) {
    assert(most_ > 0);
    const auto c = db_.writer();
    c->execute(trades_table);
    c->execute(refunds_table);
    load(*c);
}

void trade_store::load(store::connection& c) {
    {
        auto rows = c.ask("SELECT * FROM trades");
        while (rows.next()) {
            trade t = read_trade(rows);
            trades_.insert_or_assign({t.channel, t.out_trade_no}, std::move(t));
        }
    }
    auto rows = c.ask("SELECT * FROM refunds ORDER BY channel, out_trade_no, place");
    while (rows.next()) {
        std::string channel, out_trade_no, result;
        std::int64_t place = 0;
        refund r;
        rows.read(channel, out_trade_no, place, r.request_no, r.number, r.amount, r.reason,
                  r.notify_url, r.asked_at, r.settles_at, result);
        r.result = known(parse_refund_result(result), "result of a refund");
        const auto of = trades_.find({known(parse_channel(channel), "channel"), out_trade_no});
        if (of != trades_.end()) of->second.refunds.push_back(std::move(r));
    }
    for (const auto& [k, t] : trades_) index(t);
}

const trade* trade_store::at(const key& k) const {
    const auto found = trades_.find(k);
    return found == trades_.end() ? nullptr : &found->second;
}

const trade* trade_store::find(channel c, std::string_view out_trade_no) const {
    return at({c, std::string(out_trade_no)});
}

const trade* trade_store::find_number(channel c, std::string_view number) const {
    const auto found = by_number_.find({c, std::string(number)});
    return found == by_number_.end() ? nullptr : at(found->second);
}

const trade* trade_store::find_code(std::string_view code) const {
    const auto found = by_code_.find(code);
    return found == by_code_.end() ? nullptr : at(found->second);
}

const trade* trade_store::find_wechat_refund(std::string_view out_refund_no) const {
    const auto found = by_wechat_refund_.find(out_refund_no);
    return found == by_wechat_refund_.end() ? nullptr : at(found->second);
}

void trade_store::keep(const trade& t) {
    write(t);
    const key k{t.channel, t.out_trade_no};
    if (const trade* before = at(k)) unindex(*before);
    index(trades_.insert_or_assign(k, t).first->second);
    if (trades_.size() > most_) forget_oldest();
}

void trade_store::write(const trade& t) {
    const auto c = db_.writer();
    store::transaction written(*c, store::access::write);
    c->run("INSERT OR REPLACE INTO trades VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
           to_text(t.channel), t.out_trade_no, t.number, t.code, t.amount, t.subject, t.body,
           t.passback, t.fingerprint, t.notify_url, t.return_url, t.payer, to_text(t.state),
           t.created_at, t.code_expires_at, t.expires_at, t.closes_at, t.paid_at, t.closed_at);
    c->run("DELETE FROM refunds WHERE channel = ? AND out_trade_no = ?", to_text(t.channel),
           t.out_trade_no);
    std::int64_t place = 0;
    for (const refund& r : t.refunds)
        c->run("INSERT INTO refunds VALUES (?,?,?,?,?,?,?,?,?,?,?)", to_text(t.channel),
               t.out_trade_no, ++place, r.request_no, r.number, r.amount, r.reason, r.notify_url,
               r.asked_at, r.settles_at, to_text(r.result));
    written.commit();
}

void trade_store::index(const trade& t) {
    const key k{t.channel, t.out_trade_no};
    if (!t.number.empty()) by_number_.insert_or_assign({t.channel, t.number}, k);
    if (!t.code.empty()) by_code_.insert_or_assign(t.code, k);
    if (t.channel == channel::wechat)
        for (const refund& r : t.refunds) by_wechat_refund_.insert_or_assign(r.request_no, k);
    if (t.state == trade_state::waiting && t.closes_at != never)
        deadlines_.insert({t.closes_at, k});
    by_age_.insert({t.created_at, k});
}

void trade_store::unindex(const trade& t) {
    const key k{t.channel, t.out_trade_no};
    by_number_.erase({t.channel, t.number});
    by_code_.erase(t.code);
    if (t.channel == channel::wechat)
        for (const refund& r : t.refunds) by_wechat_refund_.erase(r.request_no);
    deadlines_.erase({t.closes_at, k});
    by_age_.erase({t.created_at, k});
}

void trade_store::forget_oldest() {
    const key oldest = by_age_.begin()->second;
    const auto c = db_.writer();
    store::transaction written(*c, store::access::write);
    for (const char* sql : {"DELETE FROM refunds WHERE channel = ? AND out_trade_no = ?",
                            "DELETE FROM trades WHERE channel = ? AND out_trade_no = ?"})
        c->run(sql, to_text(oldest.channel), oldest.out_trade_no);
    written.commit();
    unindex(trades_.at(oldest));
    trades_.erase(oldest);
}

std::vector<trade> trade_store::overdue(instant now, std::size_t most) const {
    std::vector<trade> due;
    for (const auto& [deadline, k] : deadlines_) {
        if (deadline > now || due.size() == most) break;
        due.push_back(*at(k));
    }
    return due;
}

instant trade_store::next_deadline() const {
    return deadlines_.empty() ? never : deadlines_.begin()->first;
}

std::vector<const trade*> trade_store::newest_first(std::size_t most) const {
    std::vector<const trade*> all;
    for (auto i = by_age_.rbegin(); i != by_age_.rend() && all.size() < most; ++i)
        all.push_back(at(i->second));
    return all;
}

}  // namespace floodgate::sandbox
