// SQL without a dialect: connections, prepared statements, transactions, whatever database speaks.
//
//   auto c = db.writer();
//   transaction t(*c, access::write);
//   if (c->run("UPDATE sales SET held = held + ? WHERE id = ?", units, sale) != 1) return ...;
//   t.commit();
//
// Everything throws sql_error. Numbers are 64-bit, times are milliseconds, states are words.
// Statements are prepared once per connection and found again by their text, so the text must come
// from the program, never from outside: values are bound.

#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "store/sql/dialect.hpp"
#include "store/sql/sql_row.hpp"
#include "store/sql/statement.hpp"

namespace floodgate::store {

enum class sql_failure : std::uint8_t {
    busy = 1,            // another connection held its lock for too long
    full,                // no room left on the disk
    constraint_unique,   // a unique or primary key is taken
    constraint_foreign,  // a row that is referred to does not exist
    rejected,            // well itself, it will not take this: another rule, a trigger, too long
    corrupt,             // the file is not what was written
    exists,              // a table, column or index of this name is there already
    conflict,            // another transaction was in the way: run the whole transaction again
    fenced,              // another node has taken over: nothing was written
    other,               // anything else: I/O, lost connection, wrong SQL
};

const char* to_text(sql_failure kind);

class sql_error : public std::runtime_error {
public:
    sql_error(sql_failure kind, const std::string& what) : runtime_error(what), kind_(kind) {}
    sql_failure kind() const { return kind_; }

private:
    sql_failure kind_;
};

enum class access : std::uint8_t { read = 1, write };

// Used by one thread at a time.
class connection {
public:
    virtual ~connection() = default;

    // A change; gives how many rows its WHERE found (also those that had the values already).
    template <class... Values>
    std::int64_t run(std::string_view sql, const Values&... values) {
        row_cursor once(cached(sql));
        bind_all(once.asked(), values...);
        once.asked().step();
        return changes();
    }

    // A question; its rows are read while the cursor lives. Until it has given its last row or is
    // gone, ask nothing else on this connection: not every database can keep two answers apart.
    // Text and bytes are borrowed, not copied, hence no temporary strings.
    template <class... Values>
    row_cursor ask(std::string_view sql, Values&&... values) {
        static_assert((!std::is_same_v<Values, std::string> && ...), "this string would be gone");
        row_cursor rows(cached(sql));
        bind_all(rows.asked(), values...);
        return rows;
    }

    // The statement with this text, prepared at first use. Each use binds all its places.
    statement& cached(std::string_view sql);

    // For what cannot be prepared or is not worth it: CREATE TABLE, PRAGMA.
    virtual void execute(const std::string& sql) = 0;

    virtual void begin(access mode) = 0;
    virtual void commit() = 0;
    // Fine when no transaction is open: some failures have ended it already.
    virtual void rollback() noexcept = 0;

    virtual std::int64_t changes() const = 0;
    virtual std::int64_t last_insert_id() const = 0;
    virtual const dialect& speaks() const = 0;

protected:
    virtual std::unique_ptr<statement> prepare(std::string_view sql) = 0;
    void forget_statements() { statements_.clear(); }

private:
    struct text_hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view s) const {
            return std::hash<std::string_view>{}(s);
        }
    };
    std::unordered_map<std::string, std::unique_ptr<statement>, text_hash, std::equal_to<>>
        statements_;
};

// Rolls back unless committed.
class transaction {
public:
    transaction(connection& c, access mode) : connection_(c) { connection_.begin(mode); }
    ~transaction() {
        if (!done_) connection_.rollback();
    }
    transaction(const transaction&) = delete;
    transaction& operator=(const transaction&) = delete;

    void commit() {
        connection_.commit();
        done_ = true;
    }

private:
    connection& connection_;
    bool done_ = false;
};

// Hands out connections; they come back by themselves and must not outlive the database. Any
// thread.
class database {
public:
    struct returner {
        database* from = nullptr;
        void operator()(connection* c) const { from->give_back(c); }
    };
    using lease = std::unique_ptr<connection, returner>;

    virtual ~database() = default;

    // SQLite: one writer at a time, first come first served. A thread that holds one and asks for
    // another waits for itself. Elsewhere several write at once: what is read in order to be
    // changed is read with the dialect's for_update.
    virtual lease writer() = 0;
    virtual lease reader() = 0;
    // A writer that changes the schema: its statements may take long, and where one server is
    // asked by several nodes, the others wait for it here.
    virtual lease migrator() { return writer(); }
    // Whether a thread waits for a writer that another one holds. Only where there is but one.
    virtual bool writer_is_awaited() { return false; }

    virtual const dialect& speaks() const = 0;
    // What a commit survives, in one line: "sqlite wal synchronous=full".
    virtual std::string durability() const = 0;
    // A line for each setting that promises less than Floodgate does. Empty: none.
    virtual std::vector<std::string> weaknesses() const { return {}; }

protected:
    lease lend(connection& c) { return lease(&c, returner{this}); }

private:
    virtual void give_back(connection* c) noexcept = 0;
};

}  // namespace floodgate::store
