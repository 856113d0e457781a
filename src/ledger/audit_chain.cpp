#include "ledger/audit_chain.hpp"

#include <openssl/sha.h>

#include <array>
#include <span>

#include "base/hex.hpp"
#include "ledger/guarded.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {
namespace {

// An unsealed line that is so much older than a sealed one was not written by Floodgate.
constexpr milliseconds sealed_within{60'000};

constexpr std::string_view line_columns =
    "id, at_ms, user_id, action, subject, details, address, role, name";

audit_line read_line(store::row_cursor& rows) {
    audit_line l;
    rows.read(l.id, l.at, l.who, l.action, l.subject, l.details, l.address, l.role, l.name);
    return l;
}

// With its length, so that two different lines never read alike.
void append(std::string& to, std::string_view field) {
    to.append(std::to_string(field.size())).append(":").append(field);
}

class chain_inspection {
public:
    chain_inspection(store::connection& c, findings& all)
        : book_(c), trouble_(all, "audit chain") {}

    void run() {
        walk();
        look_for_unsealed_lines();
        compare_the_end();
    }

private:
    void walk() {
        std::string sql = "SELECT ";
        sql.append(line_columns)
            .append(", place, hash FROM audit WHERE place IS NOT NULL ORDER BY place");
        auto rows = book_.ask(sql);
        while (rows.next()) {
            audit_line l;
            std::int64_t place = 0;
            std::string hash;
            rows.read(l.id, l.at, l.who, l.action, l.subject, l.details, l.address, l.role, l.name,
                      place, hash);
            if (place != place_ + 1)
                trouble_.add(
                    fmt::format("audit chain: {} of its lines are missing before audit line {}",
                                place - place_ - 1, l.id));
            if (place == place_ + 1 && chained_hash(hash_, place, l) != hash)
                trouble_.add(fmt::format(
                    "audit chain: audit line {} (place {}) is not what was sealed: it was "
                    "changed, moved or inserted, or the line before it was",
                    l.id, place));
            place_ = place;
            hash_ = std::move(hash);
            newest_ = std::max(newest_, l.at);
        }
    }

    void look_for_unsealed_lines() {
        auto rows = book_.ask("SELECT id FROM audit WHERE place IS NULL AND at_ms < ? ORDER BY id",
                              newest_ - sealed_within);
        while (rows.next())
            trouble_.add(fmt::format(
                "audit chain: audit line {} is older than the end of the chain, but not in "
                "it: it was inserted",
                rows.get<std::int64_t>(0)));
    }

    void compare_the_end() {
        auto rows = book_.ask("SELECT place, hash FROM audit_chain WHERE id = 1");
        if (!rows.next()) {
            if (place_ > 0) trouble_.add("audit chain: its end is not recorded any more");
            return;
        }
        std::int64_t place = 0;
        std::string hash;
        rows.read(place, hash);
        if (place > place_)
            trouble_.add(
                fmt::format("audit chain: it ends at place {}, but {} lines were sealed: its last "
                            "lines were removed",
                            place_, place));
        else if (place != place_ || hash != hash_)
            trouble_.add(fmt::format(
                "audit chain: its recorded end (place {}) is not its last line (place {})", place,
                place_));
    }

    store::connection& book_;
    finder trouble_;
    std::int64_t place_ = 0;
    std::string hash_;
    instant newest_{milliseconds(0)};
};

}  // namespace

std::string chained_hash(std::string_view hash_before, std::int64_t place, const audit_line& line) {
    std::string text;
    append(text, hash_before);
    for (const std::int64_t number : {place, line.id, to_ms(line.at), line.who.value})
        append(text, std::to_string(number));
    for (const std::string* field :
         {&line.role, &line.name, &line.address, &line.action, &line.subject, &line.details})
        append(text, *field);
    std::array<unsigned char, SHA256_DIGEST_LENGTH> hash{};
    SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash.data());
    return to_hex(std::as_bytes(std::span(hash)));
}

// The row of audit_chain is locked, so that two nodes do not give out the same places. Acts do not
// touch it, so they never wait here.
result<std::size_t> audit_book::seal(std::size_t lines_max) {
    return guarded("audit.seal", [&]() -> result<std::size_t> {
        if (!db_.reader()->ask("SELECT id FROM audit WHERE place IS NULL LIMIT 1").next())
            return std::size_t{0};
        const auto c = db_.writer();
        store::transaction t(*c, store::access::write);
        std::int64_t place = 0;
        std::string hash;
        bool recorded = false;
        {
            std::string sql = "SELECT place, hash FROM audit_chain WHERE id = 1";
            auto rows = c->ask(sql.append(c->speaks().for_update));
            recorded = rows.next();
            if (recorded) rows.read(place, hash);
        }
        // The end may be missing only if there is no chain yet.
        if (!recorded && c->ask("SELECT id FROM audit WHERE place IS NOT NULL LIMIT 1").next())
            return errc::corrupt;
        if (!recorded) c->run("INSERT INTO audit_chain (id, place, hash) VALUES (1, 0, '')");
        std::vector<audit_line> lines;
        {
            std::string sql = "SELECT ";
            sql.append(line_columns).append(" FROM audit WHERE place IS NULL ORDER BY id LIMIT ?");
            auto rows = c->ask(sql, lines_max);
            while (rows.next()) lines.push_back(read_line(rows));
        }
        for (const audit_line& l : lines) {
            hash = chained_hash(hash, ++place, l);
            c->run("UPDATE audit SET place = ?, hash = ? WHERE id = ?", place, hash, l.id);
        }
        c->run("UPDATE audit_chain SET place = ?, hash = ? WHERE id = 1", place, hash);
        t.commit();
        return lines.size();
    });
}

result<audit_book::chain_end> audit_book::end_of_chain() {
    return guarded("audit.end_of_chain", [&]() -> result<chain_end> {
        const auto c = db_.reader();
        auto rows = c->ask("SELECT place, hash FROM audit_chain WHERE id = 1");
        chain_end end;
        if (rows.next()) rows.read(end.place, end.hash);
        return end;
    });
}

void inspect_audit_chain(store::connection& c, findings& all) { chain_inspection(c, all).run(); }

}  // namespace floodgate::ledger
