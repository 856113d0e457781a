#include "ledger/journal_position.hpp"

namespace floodgate::ledger {
namespace {

constexpr std::int64_t journal_line = 1;

}  // namespace

sale::sequence position_in(store::connection& c) {
    auto rows = c.ask("SELECT position FROM journal_position WHERE line = ?", journal_line);
    if (!rows.next())
        throw store::sql_error(store::sql_failure::corrupt, "the journal position is missing");
    return rows.get<sale::sequence>(0);
}

void move_position(store::connection& c, sale::sequence to) {
    c.run("UPDATE journal_position SET position = ? WHERE line = ?", to, journal_line);
}

}  // namespace floodgate::ledger
