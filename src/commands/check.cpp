#include "commands/check.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>

#include "base/or_throw.hpp"
#include "journal/journal.hpp"
#include "ledger/ledger.hpp"
#include "sale/order_number.hpp"
#include "store/files/posix_files.hpp"
#include "store/sql/sqlite_database.hpp"

namespace floodgate::commands {
namespace {

// The promises that are durable but not in the ledger's orders yet (in the journal, or put aside),
// added to what the orders hold: together they must still respect stock and limits.
class tally {
public:
    explicit tally(ledger::ledger& book) : position_(or_throw(book.orders().position(), "ledger")) {
        for (const auto& s : or_throw(book.catalogue().sales(), "ledger")) sales_[s.id] = s;
        for (const auto& f : or_throw(book.catalogue().figures(), "ledger")) held_[f.sale] = f.held;
        const auto visited = book.orders().for_each_held([&](const ledger::held_order& o) {
            units_[{o.sale, o.buyer}] += o.quantity;
            ++orders_;
        });
        if (!visited) throw std::runtime_error("ledger: " + visited.error().message());
        or_throw(book.letters().for_each_open([&](const ledger::letter& l) {
            held_[l.promise.sale] += l.promise.quantity;
            units_[{l.promise.sale, l.promise.buyer}] += l.promise.quantity;
            ++letters_;
        }),
                 "ledger");
        latest_ = or_throw(book.orders().latest_number(), "ledger");
    }

    void add(sale::sequence at, const sale::promise& p) {
        last_ = at;
        if (p.order <= newest_) wrong(at, p, "its number is not larger than the one before it");
        newest_ = p.order;
        if (at <= position_) return;
        ++queued_;
        const auto s = sales_.find(p.sale);
        if (s == sales_.end()) return wrong(at, p, "its sale is not in the ledger");
        if ((held_[p.sale] += p.quantity) > s->second.stock) wrong(at, p, "more units than stock");
        if ((units_[{p.sale, p.buyer}] += p.quantity) > s->second.limit)
            wrong(at, p, "more units than the buyer's limit");
    }

    std::vector<std::string> finish() {
        if (last_ < position_ && (last_.value != 0 || position_.value != 0))
            found_.push_back(
                fmt::format("the ledger has entered {} promises, the journal ends at {}",
                            position_.value, last_.value));
        fmt::print(
            "ledger: {} orders that hold stock, entered up to promise {}\n"
            "journal: ends at promise {}, {} not entered yet\n",
            orders_, position_.value, last_.value, queued_);
        if (letters_ > 0)
            fmt::print("letters: {} promises put aside, waiting for a retry or an operator\n",
                       letters_);
        return std::move(found_);
    }

private:
    void wrong(sale::sequence at, const sale::promise& p, const char* why) {
        found_.push_back(fmt::format("journal: promise {} (order {}, sale {}, buyer {}): {}",
                                     at.value, p.order.value, p.sale.value, p.buyer.value, why));
    }

    sale::sequence position_, last_{};
    sale::order_no newest_{}, latest_{};
    std::uint64_t orders_ = 0, queued_ = 0, letters_ = 0;
    std::map<sale::sale_id, sale::sale> sales_;
    std::map<sale::sale_id, std::int64_t> held_;
    std::map<std::pair<sale::sale_id, sale::user_id>, std::uint64_t> units_;
    std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> check_data(const std::string& data) {
    const std::string journal = data + "/journal";
    const std::string file = data + "/ledger.db";
    if (!std::filesystem::exists(file))
        throw std::runtime_error(data + ": there is no ledger here");
    store::posix_files files;
    std::unique_ptr<store::directory_lock> lock;
    const bool has_journal = std::filesystem::exists(journal);
    if (has_journal) {
        auto got = files.lock(journal);
        if (!got) throw std::runtime_error(data + ": in use by a running server; stop it first");
        lock = std::move(got.value());
    }
    ledger::ledger book(store::open_sqlite({.path = file}));
    tally count(book);
    std::vector<std::string> found = or_throw(book.orders().check(), "ledger");
    if (has_journal) {
        const auto broken = journal::inspect(
            files, journal, [&](sale::sequence at, const sale::promise& p) { count.add(at, p); });
        found.insert(found.end(), broken.begin(), broken.end());
    }
    const auto wrong = count.finish();
    found.insert(found.end(), wrong.begin(), wrong.end());
    return found;
}

}  // namespace floodgate::commands
