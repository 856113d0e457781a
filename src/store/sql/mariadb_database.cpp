#include "store/sql/mariadb_database.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <mysqld_error.h>

#include "base/log.hpp"
#include "store/sql/mariadb_connection.hpp"
#include "store/sql/mariadb_settings.hpp"

namespace floodgate::store {
namespace {

using own_connection = std::unique_ptr<mariadb_connection>;

constexpr std::chrono::seconds schema_timeout{3600};   // an index over a large table takes long
constexpr std::chrono::seconds schema_lock_wait{300};  // another node is changing the schema
constexpr std::size_t name_size_max = 64;

// Checks the name, because it is put into a statement between backticks.
void expect_plain_name(const std::string& name) {
    const bool plain =
        !name.empty() && name.size() <= name_size_max && std::ranges::all_of(name, [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                   c == '_' || c == '-' || c == '$';
        });
    if (!plain)
        throw sql_error(sql_failure::other,
                        "a database's name is 1 to 64 letters, digits, _, - or $");
}

// Whether another address may work although this one failed.
bool worth_another_address(const sql_error& e) {
    const auto* told = dynamic_cast<const mariadb_error*>(&e);
    return told == nullptr || told->kind() == sql_failure::busy || told->number() == 0 ||
           ends_mariadb_session(told->number());
}

// What went wrong at an address, in words an operator can act on.
std::string explain(const mariadb_target& t, const sql_error& e) {
    const auto* told = dynamic_cast<const mariadb_error*>(&e);
    const unsigned number = told == nullptr ? 0 : told->number();
    switch (number) {
    case 0: return fmt::format("database at {}: {}", t.address, e.what());
    case ER_ACCESS_DENIED_ERROR:
        return fmt::format("database at {}: wrong user or password: {}", t.address, e.what());
    case ER_DBACCESS_DENIED_ERROR:
        return fmt::format("database at {}: the user {} may neither use nor create the database {}",
                           t.address, t.user, t.database);
    case ER_BAD_DB_ERROR:
        return fmt::format("database at {}: there is no database {}", t.address, t.database);
    default: break;
    }
    if (ends_mariadb_session(number))
        return fmt::format("nobody answers at {}: {}", t.address, e.what());
    return fmt::format("database at {}: {}", t.address, e.what());
}

class mariadb_database final : public database {
public:
    explicit mariadb_database(const mariadb_options& options) : options_(options) {
        if (options_.addresses.empty())
            throw sql_error(sql_failure::other, "no address of a database was given");
        expect_plain_name(options_.database);
        idle_.reserve(options_.connections_max);  // so that giving back cannot fail
        auto c = connect_or_create();
        const server_settings found = read_mariadb_settings(*c);
        durability_ = describe_durability(c->version(), found);
        weaknesses_ = find_weaknesses(found);
        idle_.push_back(std::move(c));
    }

    lease writer() override { return borrow(access::write); }
    lease reader() override { return borrow(access::read); }

    // Not part of the pool, because it is used once, at start. Its lock ends with the connection.
    lease migrator() override {
        auto c = connect(schema_timeout);
        const std::string name = ("floodgate:" + options_.database).substr(0, name_size_max);
        bool locked = false;
        {
            auto rows = c->ask("SELECT GET_LOCK(?, ?)", name, schema_lock_wait.count());
            locked = rows.next() && rows.get<std::int64_t>(0) == 1;
        }
        if (!locked)
            throw sql_error(sql_failure::busy,
                            "another node has been changing the schema for long");
        const std::lock_guard lock(mutex_);
        migrator_ = c.get();
        ++lent_;
        return lend(*c.release());
    }

    const dialect& speaks() const override { return mysql_dialect; }
    std::string durability() const override { return durability_; }
    std::vector<std::string> weaknesses() const override { return weaknesses_; }

private:
    lease borrow(access mode) {
        own_connection c = idle_or_none();
        if (c && !c->still_open()) {
            c.reset();
            drop_idle();
        }
        if (!c) {
            try {
                c = connect(options_.io_timeout);
            } catch (...) {
                leave_place();
                throw;
            }
        }
        c->allow(mode);
        return lend(*c.release());
    }

    // Takes a place, with the idle connection that was used last, if there is one.
    own_connection idle_or_none() {
        std::unique_lock lock(mutex_);
        const bool room = changed_.wait_for(lock, options_.io_timeout,
                                            [&] { return lent_ < options_.connections_max; });
        if (!room)
            throw sql_error(sql_failure::busy,
                            fmt::format("all {} connections to the database are in use",
                                        options_.connections_max));
        ++lent_;
        if (idle_.empty()) return nullptr;
        own_connection c = std::move(idle_.back());
        idle_.pop_back();
        return c;
    }

    void leave_place() noexcept {
        {
            const std::lock_guard lock(mutex_);
            --lent_;
        }
        changed_.notify_one();
    }

    // One connection was found dead, so the others are probably dead too.
    void drop_idle() noexcept {
        std::vector<own_connection> gone;
        gone.reserve(options_.connections_max);
        const std::lock_guard lock(mutex_);
        std::swap(gone, idle_);
    }

    void give_back(connection* c) noexcept override {
        own_connection back(static_cast<mariadb_connection*>(c));
        back->rollback();
        const bool broken = back->broken();
        if (broken) drop_idle();
        {
            const std::lock_guard lock(mutex_);
            --lent_;
            if (back.get() == migrator_) {
                migrator_ = nullptr;
            } else if (!broken) {
                idle_.push_back(std::move(back));
            }
        }
        changed_.notify_one();
    }

    // The address that answered last comes first.
    own_connection connect(std::chrono::seconds io_timeout) {
        std::size_t first = 0;
        {
            const std::lock_guard lock(mutex_);
            first = address_;
        }
        std::string reasons;
        for (std::size_t i = 0; i < options_.addresses.size(); ++i) {
            const std::size_t at = (first + i) % options_.addresses.size();
            const mariadb_target target = target_at(at, io_timeout);
            try {
                auto c = std::make_unique<mariadb_connection>(target);
                const std::lock_guard lock(mutex_);
                address_ = at;
                return c;
            } catch (const sql_error& e) {
                if (!worth_another_address(e)) {
                    const std::lock_guard lock(mutex_);
                    address_ = at;  // It did answer.
                    throw told_again(e, explain(target, e));
                }
                reasons += (reasons.empty() ? "" : "; ") + explain(target, e);
            }
        }
        throw sql_error(sql_failure::other, reasons);
    }

    mariadb_target target_at(std::size_t at, std::chrono::seconds io_timeout) const {
        return {options_.addresses[at],   options_.user, options_.password, options_.database,
                options_.connect_timeout, io_timeout};
    }

    static mariadb_error told_again(const sql_error& e, const std::string& words) {
        const auto* told = dynamic_cast<const mariadb_error*>(&e);
        return {e.kind(), told == nullptr ? 0 : told->number(), words};
    }

    own_connection connect_or_create() {
        try {
            return connect(options_.io_timeout);
        } catch (const mariadb_error& e) {
            if (e.number() != ER_BAD_DB_ERROR) throw;
        }
        mariadb_target target = target_at(address_, options_.io_timeout);
        target.database.clear();
        try {
            mariadb_connection(target).execute("CREATE DATABASE IF NOT EXISTS `" +
                                               options_.database +
                                               "` CHARACTER SET utf8mb4 COLLATE utf8mb4_bin");
        } catch (const sql_error& e) {
            throw sql_error(e.kind(), fmt::format("database at {}: there is no database {}, and it "
                                                  "cannot be created: {}",
                                                  target.address, options_.database, e.what()));
        }
        log::info("store.database_created", "address", target.address, "name", options_.database);
        return connect(options_.io_timeout);
    }

    const mariadb_options options_;
    std::string durability_;
    std::vector<std::string> weaknesses_;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<own_connection> idle_;  // the last one was used last
    std::size_t lent_ = 0;
    std::size_t address_ = 0;  // that answered last
    const connection* migrator_ = nullptr;
};

}  // namespace

std::unique_ptr<database> open_mariadb(const mariadb_options& options) {
    return std::make_unique<mariadb_database>(options);
}

}  // namespace floodgate::store
