#include "ledger/fenced_database.hpp"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "base/log.hpp"

namespace floodgate::ledger {
namespace {

using holder = std::function<std::optional<fence>()>;

// Says each reason once. It names the fence and its number.
class refusal_log {
public:
    void note(const std::string& why) {
        const std::lock_guard lock(mutex_);
        if (std::exchange(latest_, why) != why) log::warning("ledger.fenced", "reason", why);
    }

private:
    std::mutex mutex_;
    std::string latest_;
};

class fenced_connection;

class fenced_statement final : public store::statement {
public:
    fenced_statement(fenced_connection& connection, store::statement& real, bool reads)
        : connection_(connection), real_(real), reads_(reads) {}

    void bind(int place, std::int64_t value) override { real_.bind(place, value); }
    void bind(int place, std::string_view text) override { real_.bind(place, text); }
    void bind(int place, byte_view bytes) override { real_.bind(place, bytes); }
    void bind_null(int place) override { real_.bind_null(place); }
    bool step() override;
    void reset() noexcept override { real_.reset(); }
    std::int64_t integer(int column) const override { return real_.integer(column); }
    std::string_view text(int column) const override { return real_.text(column); }
    byte_view bytes(int column) const override { return real_.bytes(column); }
    bool is_null(int column) const override { return real_.is_null(column); }

private:
    fenced_connection& connection_;
    store::statement& real_;
    const bool reads_;
};

class fenced_connection final : public store::connection {
public:
    fenced_connection(store::database::lease real, const holder& current, refusal_log& refusals)
        : real_(std::move(real)), current_(current), refusals_(refusals) {}
    ~fenced_connection() override { forget_statements(); }

    void execute(const std::string& sql) override {
        within([&] { real_->execute(sql); });
    }
    void begin(store::access mode) override {
        real_->begin(mode);
        in_transaction_ = true;
        if (mode != store::access::write) return;
        try {
            show_fence();
        } catch (...) {
            rollback();
            throw;
        }
    }
    void commit() override {
        real_->commit();
        in_transaction_ = false;
    }
    void rollback() noexcept override {
        real_->rollback();
        in_transaction_ = false;
    }
    std::int64_t changes() const override { return real_->changes(); }
    std::int64_t last_insert_id() const override { return real_->last_insert_id(); }
    const store::dialect& speaks() const override { return real_->speaks(); }

    // Inside a transaction the fence was presented already; a single change gets a transaction.
    template <class Act>
    void within(Act act) {
        if (in_transaction_) return act();
        store::transaction t(*this, store::access::write);
        act();
        t.commit();
    }

private:
    // This changes the row, so that Galera detects a conflict with what other nodes commit.
    void show_fence() {
        const std::optional<fence> f = current_();
        if (!f) refuse("this node does not hold the task");
        if (real_->run("UPDATE fences SET number = ?, writes = writes + 1 WHERE name = ? AND "
                       "number <= ?",
                       f->number, f->name, f->number) != 1)
            refuse(fmt::format("fence {} was raised above {}", f->name, f->number));
    }
    [[noreturn]] void refuse(const std::string& why) {
        refusals_.note(why);
        throw store::sql_error(store::sql_failure::fenced, why);
    }
    std::unique_ptr<store::statement> prepare(std::string_view sql) override {
        return std::make_unique<fenced_statement>(*this, real_->cached(sql),
                                                  sql.starts_with("SELECT"));
    }

    store::database::lease real_;
    const holder& current_;
    refusal_log& refusals_;
    bool in_transaction_ = false;
};

bool fenced_statement::step() {
    if (reads_) return real_.step();
    connection_.within([&] { real_.step(); });
    return false;  // a change gives no rows
}

class fenced_database final : public store::database {
public:
    fenced_database(store::database& inner, holder current)
        : inner_(inner), current_(std::move(current)) {}

    lease writer() override {
        return lend(
            *std::make_unique<fenced_connection>(inner_.writer(), current_, refusals_).release());
    }
    lease reader() override {
        return lend(
            *std::make_unique<fenced_connection>(inner_.reader(), current_, refusals_).release());
    }
    const store::dialect& speaks() const override { return inner_.speaks(); }
    std::string durability() const override { return inner_.durability(); }
    std::vector<std::string> weaknesses() const override { return inner_.weaknesses(); }

private:
    void give_back(store::connection* c) noexcept override {
        const std::unique_ptr<store::connection> gone(c);
    }

    store::database& inner_;
    const holder current_;
    refusal_log refusals_;
};

}  // namespace

std::unique_ptr<store::database> fenced(store::database& inner,
                                        std::function<std::optional<fence>()> current) {
    return std::make_unique<fenced_database>(inner, std::move(current));
}

}  // namespace floodgate::ledger
