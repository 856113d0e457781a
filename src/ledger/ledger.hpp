// The ledger: catalogue, users, logins, orders, stock log, audit, and how far each line of promises
// has been entered.
//
// Everything here blocks on the database: call it from a pool thread or the clerk, never from an
// event loop. Every method may be called from any thread. Failures that depend on the input come
// back as errc (listed at each method); a database that is locked, full or gone comes back as
// errc::store_unavailable, a damaged one as errc::corrupt, logged once, here. A `visit` must not
// call the ledger.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ledger/account_book.hpp"
#include "ledger/attempt_book.hpp"
#include "ledger/audit_book.hpp"
#include "ledger/catalogue_book.hpp"
#include "ledger/earning_book.hpp"
#include "ledger/feed_book.hpp"
#include "ledger/fence_book.hpp"
#include "ledger/key_book.hpp"
#include "ledger/letter_book.hpp"
#include "ledger/message_book.hpp"
#include "ledger/move_book.hpp"
#include "ledger/order_book.hpp"
#include "ledger/order_search.hpp"
#include "ledger/picture_book.hpp"
#include "ledger/second_factor_book.hpp"
#include "ledger/staff_book.hpp"
#include "ledger/switch_book.hpp"
#include "ledger/tally_book.hpp"
#include "ledger/user_book.hpp"
#include "ledger/webhook_book.hpp"

namespace floodgate::store {
class database;
}

namespace floodgate::ledger {

class ledger {
public:
    // Brings the schema up to date (see migrations.hpp); one read when it is. Throws
    // std::runtime_error with one clear line when the database cannot be used or was written by a
    // newer Floodgate.
    explicit ledger(std::unique_ptr<store::database> db);
    ~ledger();

    catalogue_book& catalogue() { return catalogue_; }
    user_book& users() { return users_; }
    account_book& accounts() { return accounts_; }
    staff_book& staff() { return staff_; }
    second_factor_book& second_factors() { return second_factors_; }
    key_book& keys() { return keys_; }
    order_book& orders() { return orders_; }
    audit_book& audit() { return audit_; }
    move_book& moves() { return moves_; }
    letter_book& letters() { return letters_; }
    message_book& messages() { return messages_; }
    attempt_book& attempts() { return attempts_; }
    refund_book& refunds() { return refunds_; }
    earning_book& earnings() { return earnings_; }
    tally_book& tallies() { return tallies_; }
    fence_book& fences() { return fences_; }
    switch_book& switches() { return switches_; }
    feed_book& feed() { return feed_; }
    webhook_book& webhooks() { return webhooks_; }
    order_search& search() { return search_; }
    picture_book& pictures() { return pictures_; }

    // For classes that share the database, such as fenced_database.hpp.
    store::database& database() { return *db_; }
    // Whether a thread waits to write until another one has finished (store::database).
    bool writer_is_awaited() const;
    // The durability that the database promises, in one line for /readyz and the log.
    std::string durability() const;
    // One line for each setting of the database that makes this durability weaker.
    std::vector<std::string> weaknesses() const;

private:
    std::unique_ptr<store::database> db_;
    catalogue_book catalogue_;
    user_book users_;
    account_book accounts_;
    staff_book staff_;
    second_factor_book second_factors_;
    key_book keys_;
    order_book orders_;
    audit_book audit_;
    move_book moves_;
    letter_book letters_;
    message_book messages_;
    attempt_book attempts_;
    refund_book refunds_;
    earning_book earnings_;
    tally_book tallies_;
    fence_book fences_;
    switch_book switches_;
    feed_book feed_;
    webhook_book webhooks_;
    order_search search_;
    picture_book pictures_;
};

}  // namespace floodgate::ledger
