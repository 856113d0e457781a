// One SQLite connection, over the C API.

#pragma once

#include <memory>
#include <string>

#include "store/sql/sql.hpp"

struct sqlite3;

namespace floodgate::store {

class sqlite_connection final : public connection {
public:
    // `path` as sqlite3_open_v2 takes it. The file must exist, unless it is ":memory:".
    explicit sqlite_connection(const std::string& path);
    ~sqlite_connection() override;

    void execute(const std::string& sql) override;
    void begin(access mode) override;
    void commit() override;
    void rollback() noexcept override;
    std::int64_t changes() const override;
    std::int64_t last_insert_id() const override;
    const dialect& speaks() const override { return sqlite_dialect; }

    void set_busy_timeout(int ms);

private:
    std::unique_ptr<statement> prepare(std::string_view sql) override;

    struct closer {
        void operator()(sqlite3* handle) const;
    };
    std::unique_ptr<sqlite3, closer> handle_;
};

}  // namespace floodgate::store
