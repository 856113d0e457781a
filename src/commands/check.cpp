#include "commands/check.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <unistd.h>

#include "base/or_throw.hpp"
#include "commands/check_earnings.hpp"
#include "commands/check_points.hpp"
#include "commands/ledger_copy.hpp"
#include "engine/open_ledger.hpp"
#include "journal/journal.hpp"
#include "ledger/ledger.hpp"
#include "sale/order_number.hpp"
#include "store/files/posix_files.hpp"
#include "store/sql/sqlite_database.hpp"

namespace floodgate::commands {
namespace {

// Adds the promises that are durable but not orders yet (in the journal, or put aside) to what the
// orders hold. Together they must still respect stock and limits.
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

    sale::sequence position() const { return position_; }

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
    sale::order_no newest_{};
    std::uint64_t orders_ = 0, queued_ = 0, letters_ = 0;
    std::map<sale::sale_id, sale::sale> sales_;
    std::map<sale::sale_id, std::int64_t> held_;
    std::map<std::pair<sale::sale_id, sale::user_id>, std::uint64_t> units_;
    std::vector<std::string> found_;
};

// Null if the directory cannot be locked; this is printed, and what can be read is checked
// nevertheless.
std::unique_ptr<store::directory_lock> take_lock(store::file_system& files, const std::string& data,
                                                 const std::string& journal) {
    auto got = files.lock(journal);
    if (got) return std::move(*got);
    if (got.error() == boost::system::errc::operation_would_block)
        throw std::runtime_error(data + ": in use by a running server; stop it first");
    fmt::print("{} cannot be locked ({}): see to it that no server runs\n", journal,
               got.error().message());
    return nullptr;
}

// A file of the directory, or a copy of it if it cannot be written.
class readable_file {
public:
    readable_file(const std::string& data, const std::string& name) : path_(data + "/" + name) {
        if (::access(data.c_str(), W_OK) == 0 && ::access(path_.c_str(), W_OK) == 0) return;
        copy_.emplace(data, name);
        path_ = copy_->file();
        fmt::print("{} cannot be written: a copy of {} is checked\n", data, name);
    }
    std::unique_ptr<store::database> open() const { return store::open_sqlite({.path = path_}); }

private:
    std::string path_;
    std::optional<ledger_copy> copy_;
};

// Those of a shop that has never had points are not there. Without a book they are looked at alone.
std::vector<std::string> check_points_in(const std::string& data, ledger::ledger* book = nullptr) {
    if (!std::filesystem::exists(data + "/points.db")) return {};
    const readable_file file(data, "points.db");
    const auto db = file.open();
    std::vector<std::string> found = check_points(*db);
    if (!book) return found;
    const auto wrong = check_earnings(book->earnings(), *db);
    found.insert(found.end(), wrong.begin(), wrong.end());
    return found;
}

std::vector<std::string> check_points_at(points_place place, const std::string& data,
                                         ledger::ledger& book) {
    if (place == points_place::here) return check_points_in(data, &book);
    say_points_live_elsewhere();
    return {};
}

}  // namespace

std::vector<std::string> check_data(const std::string& data, points_place points) {
    const std::string journal = data + "/journal";
    store::posix_files files;
    if (!std::filesystem::exists(data + "/ledger.db"))
        throw std::runtime_error(data + ": there is no ledger here");
    std::unique_ptr<store::directory_lock> held;
    const bool has_journal = std::filesystem::exists(journal);
    if (has_journal) held = take_lock(files, data, journal);
    const readable_file file(data, "ledger.db");
    ledger::ledger book(file.open());
    tally count(book);
    std::vector<std::string> found = or_throw(book.orders().check(), "ledger");
    const journal::expectation of{count.position(), or_throw(book.orders().journal_id(), "ledger")};
    if (has_journal) {
        const auto broken = journal::inspect(
            files, journal, [&](sale::sequence at, const sale::promise& p) { count.add(at, p); },
            of);
        found.insert(found.end(), broken.begin(), broken.end());
    } else if (of.journal != 0 && of.entered.value == 0) {
        found.push_back(journal + " is missing: promises that the ledger has not entered are lost");
    }
    for (const auto& wrong : {count.finish(), check_points_at(points, data, book)})
        found.insert(found.end(), wrong.begin(), wrong.end());
    return found;
}

std::vector<std::string> check_points_service(const engine::settings& s) {
    if (s.mode == engine::run_mode::clustered)
        return check_points(*engine::open_points_database(s));
    if (!std::filesystem::exists(s.points_file()))
        throw std::runtime_error(s.data + ": there are no points here");
    store::posix_files files;
    const auto held = take_lock(files, s.data, s.data);
    return check_points_in(s.data);
}

}  // namespace floodgate::commands
