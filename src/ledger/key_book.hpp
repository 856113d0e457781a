// API keys, and the revision by which nodes notice that they must read them again.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "ledger/audit_book.hpp"
#include "sale/user.hpp"

namespace floodgate::store {
class connection;
class database;
}  // namespace floodgate::store

namespace floodgate::ledger {

struct api_key_row {
    std::int64_t id = 0;
    std::string name;
    std::string scopes;  // words with a blank between them
    sale::token_hash secret{};
    instant created_at;
    sale::user_id created_by;
    // The default: never.
    instant expires_at{}, last_used_at{}, revoked_at{};
};

// To be called in the transaction that changes an API key or disables or enables a user.
void note_access_changed(store::connection& c);

class key_book {
public:
    explicit key_book(store::database& db) : db_(db) {}

    // Gives the id. conflict: there are keys_max keys already that are not revoked.
    result<std::int64_t> add(const api_key_row& key, const audit_maker<std::int64_t>& signed_by);
    result<api_key_row> find(std::int64_t id);  // not_found
    // Newest first, only ids below `before` (0: from the newest), at most `limit`.
    result<std::vector<api_key_row>> list(std::int64_t before, std::size_t limit);
    // not_found. Revoking it again changes nothing and writes no line.
    result<void> revoke(std::int64_t id, instant now, const audit_note& line);
    result<void> note_use(std::int64_t id, instant at);

    // Those that are not revoked and not expired at `now`.
    result<std::vector<api_key_row>> valid(instant now);
    result<std::vector<sale::user_id>> disabled_users();
    // Changes whenever one of these two lists does.
    result<std::int64_t> access_revision();

    static constexpr std::int64_t keys_max = 1000;

private:
    store::database& db_;
};

}  // namespace floodgate::ledger
