#include "store/sql/tampered_database.hpp"

namespace floodgate::store {
namespace {

template <class Act>
auto around(const tampering& how, std::string_view sql, Act act) {
    if (how.before) how.before();
    const auto got = act();
    if (how.after) how.after(sql);
    return got;
}

class tampered_statement final : public statement {
public:
    tampered_statement(statement& real, std::string_view sql, const tampering& how)
        : real_(real), sql_(sql), how_(how) {}

    void bind(int place, std::int64_t value) override { real_.bind(place, value); }
    void bind(int place, std::string_view text) override { real_.bind(place, text); }
    void bind(int place, byte_view bytes) override { real_.bind(place, bytes); }
    void bind_null(int place) override { real_.bind_null(place); }
    bool step() override {
        return around(how_, sql_, [&] { return real_.step(); });
    }
    void reset() noexcept override { real_.reset(); }
    std::int64_t integer(int column) const override { return real_.integer(column); }
    std::string_view text(int column) const override { return real_.text(column); }
    byte_view bytes(int column) const override { return real_.bytes(column); }
    bool is_null(int column) const override { return real_.is_null(column); }

private:
    statement& real_;
    std::string sql_;
    const tampering& how_;
};

class tampered_connection final : public connection {
public:
    tampered_connection(database::lease real, const tampering& how)
        : real_(std::move(real)), how_(how) {}

    void execute(const std::string& sql) override {
        tell(sql, [&] { real_->execute(sql); });
    }
    void begin(access mode) override {
        tell("BEGIN", [&] { real_->begin(mode); });
    }
    void commit() override {
        tell("COMMIT", [&] { real_->commit(); });
    }
    void rollback() noexcept override { real_->rollback(); }
    std::int64_t changes() const override { return real_->changes(); }
    std::int64_t last_insert_id() const override { return real_->last_insert_id(); }
    const dialect& speaks() const override { return how_.dialect; }

private:
    template <class Act>
    void tell(std::string_view sql, Act act) {
        around(how_, sql, [&] {
            act();
            return true;
        });
    }
    std::unique_ptr<statement> prepare(std::string_view sql) override {
        return std::make_unique<tampered_statement>(real_->cached(sql), sql, how_);
    }

    database::lease real_;
    const tampering& how_;
};

class tampered_database final : public database {
public:
    tampered_database(std::unique_ptr<database> real, std::shared_ptr<tampering> how)
        : real_(std::move(real)), how_(std::move(how)) {}

    lease writer() override { return wrap(real_->writer()); }
    lease reader() override { return wrap(real_->reader()); }
    const dialect& speaks() const override { return how_->dialect; }
    std::string durability() const override { return real_->durability(); }

private:
    lease wrap(lease real) {
        return lend(*std::make_unique<tampered_connection>(std::move(real), *how_).release());
    }
    void give_back(connection* c) noexcept override { const std::unique_ptr<connection> gone(c); }

    std::unique_ptr<database> real_;
    std::shared_ptr<tampering> how_;
};

}  // namespace

std::unique_ptr<database> tamper(std::unique_ptr<database> with, std::shared_ptr<tampering> how) {
    return std::make_unique<tampered_database>(std::move(with), std::move(how));
}

}  // namespace floodgate::store
