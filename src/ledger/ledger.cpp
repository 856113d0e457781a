#include "ledger/ledger.hpp"

#include "ledger/migrations.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {
namespace {

std::unique_ptr<store::database> up_to_date(std::unique_ptr<store::database> db) {
    migrate(*db);
    return db;
}

}  // namespace

ledger::ledger(std::unique_ptr<store::database> db)
    : db_(up_to_date(std::move(db))),
      catalogue_(*db_),
      users_(*db_),
      accounts_(*db_),
      staff_(*db_),
      second_factors_(*db_),
      keys_(*db_),
      orders_(*db_),
      audit_(*db_),
      moves_(*db_),
      letters_(*db_),
      messages_(*db_),
      attempts_(*db_),
      refunds_(*db_),
      earnings_(*db_),
      tallies_(*db_),
      fences_(*db_),
      switches_(*db_),
      feed_(*db_),
      webhooks_(*db_),
      search_(*db_),
      pictures_(*db_) {}

ledger::~ledger() = default;

bool ledger::writer_is_awaited() const { return db_->writer_is_awaited(); }

std::string ledger::durability() const { return db_->durability(); }

std::vector<std::string> ledger::weaknesses() const { return db_->weaknesses(); }

}  // namespace floodgate::ledger
