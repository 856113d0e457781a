// For tests: an empty ledger over any database, and verbs to fill it.
//
// The suites named *ContractTest run over every database in `databases()`. A new one is added
// there.

#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "ledger/ledger.hpp"
#include "store/sql/sql.hpp"
#include "store/sql/test_databases.hpp"

namespace floodgate::ledger {

inline const instant noon = from_ms(1'800'000'000'000);

using store::database_kind;
using store::name_of;
using store::scratch_directory;

std::vector<database_kind> databases();

struct sale_terms {
    std::int64_t stock = 10;
    std::uint32_t limit = 1;
    std::int64_t earns_points = 0;
    bool resell_refunded = true;
};

// What the tests do to a ledger, in one word each. A failure of the ledger fails the test.
class book_verbs {
public:
    explicit book_verbs(std::unique_ptr<store::database> db);

    sale::sale_id add_sale(sale_terms terms = {});
    sale::user_id add_user(const std::string& phone);
    // A promise with the next number and the next moment.
    sale::promise promise(sale::sale_id sale, std::int64_t buyer, std::uint32_t quantity = 1);
    entry_report enter(const std::vector<sale::promise>& batch);
    // Puts the next promise of the line aside. Gives the letter's id.
    std::int64_t put_aside(const sale::promise& p,
                           const setback& why = {.cause = "poison", .next_try = noon, .now = noon});
    void close(sale::order_no no);  // as its buyer would: cancelled

    std::int64_t held(sale::sale_id sale);
    std::string state(const sale::promise& p);  // "unpaid", "failed limit_reached", "absent"
    findings check();

    std::int64_t number(const std::string& sql);
    void sql(const std::string& text);
    // From here on the orders table refuses this order, until heal() is called.
    void poison(const sale::promise& p);
    void heal() { sql("DROP TRIGGER poison"); }

    store::database& db() { return *db_; }
    ledger& book() { return book_; }
    sale::sequence entered() const { return entered_; }

private:
    store::database* db_;
    ledger book_;
    sale::sequence entered_{};
    std::uint64_t next_order_ = 1000;
    std::int64_t products_ = 0;
};

class LedgerContractTest : public testing::TestWithParam<database_kind> {
protected:
    scratch_directory directory_;
    book_verbs verbs_{GetParam().open(directory_)};
    ledger& book_ = verbs_.book();
};

// The error of a result; an empty code when it has a value.
template <class T>
boost::system::error_code outcome(const result<T>& r) {
    return r.has_error() ? r.error() : boost::system::error_code();
}
inline const boost::system::error_code fine;

}  // namespace floodgate::ledger
