// The SQL port: connections, prepared statements and transactions, for any of the databases.
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
    rejected,            // the database works but refuses this: a rule, a trigger, too long
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

    // Runs a change; gives how many rows its WHERE found, also those that had the values already.
    template <class... Values>
    std::int64_t run(std::string_view sql, const Values&... values) {
        row_cursor once(cached(sql));
        bind_all(once.asked(), values...);
        once.asked().step();
        return changes();
    }

    // Runs a query; its rows are read while the cursor lives. Until the cursor has given its last
    // row or is destroyed, run nothing else on this connection: not every database can handle two
    // results at once. Text and bytes are borrowed, not copied, so do not pass temporary strings.
    template <class... Values>
    row_cursor ask(std::string_view sql, Values&&... values) {
        static_assert((!std::is_same_v<Values, std::string> && ...), "this string would be gone");
        row_cursor rows(cached(sql));
        bind_all(rows.asked(), values...);
        return rows;
    }

    // The statement with this text, prepared at first use. Each use binds all its places.
    statement& cached(std::string_view sql);

    // For statements that cannot be prepared or are not worth it: CREATE TABLE, PRAGMA.
    virtual void execute(const std::string& sql) = 0;

    virtual void begin(access mode) = 0;
    virtual void commit() = 0;
    // May be called when no transaction is open, because some failures have ended it already.
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

    // SQLite has one writer at a time, in the order of the requests. A thread that holds a writer
    // and asks for another waits for ever. Other databases have several at once, so rows that are
    // read in order to be changed must be read with the dialect's for_update.
    virtual lease writer() = 0;
    virtual lease reader() = 0;
    // A writer for changes of the schema. Its statements may take long; if several nodes use one
    // server, the others wait here until it is done.
    virtual lease migrator() { return writer(); }
    // Whether a thread waits for the writer that another one holds. Only for a database with one
    // writer.
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
