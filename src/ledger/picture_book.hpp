// Uploaded pictures, stored once by the hash of their content, so that every node has them.

#pragma once

#include <cstdint>
#include <string>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "ledger/audit_book.hpp"
#include "sale/ids.hpp"

namespace floodgate::store {
class database;
}

namespace floodgate::ledger {

struct picture {
    std::string hash{};  // BLAKE2b-256 of the content, in hexadecimal
    std::string kind{};  // png, jpeg, webp
    std::int64_t width = 0, height = 0;
    sale::user_id added_by{};
    instant added_at{};
    std::string content{};
};

class picture_book {
public:
    explicit picture_book(store::database& db) : db_(db) {}

    // A picture that is there already stays as it is, without an audit line. True: it is new.
    result<bool> add(const picture& p, const audit_note& line = {});
    result<picture> find(const std::string& hash);  // not_found

private:
    store::database& db_;
};

}  // namespace floodgate::ledger
