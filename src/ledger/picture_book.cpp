#include "ledger/picture_book.hpp"

#include <algorithm>

#include "ledger/guarded.hpp"

namespace floodgate::ledger {
namespace {

using store::access;
using store::transaction;

constexpr std::size_t part_bytes = 256 << 10;

bool is_known(store::connection& c, const std::string& hash) {
    return c.ask("SELECT hash FROM pictures WHERE hash = ?", hash).next();
}

void write_parts(store::connection& c, const picture& p) {
    std::int64_t place = 0;
    for (std::size_t at = 0; at < p.content.size(); at += part_bytes) {
        const auto part = std::string_view(p.content).substr(at, part_bytes);
        c.run("INSERT INTO picture_parts (hash, place, content) VALUES (?, ?, ?)", p.hash, ++place,
              std::as_bytes(std::span(part)));
    }
}

}  // namespace

result<bool> picture_book::add(const picture& p, const audit_note& line) {
    auto added = guarded("pictures.add", [&]() -> result<bool> {
        const auto c = db_.writer();
        transaction t(*c, access::write);
        if (is_known(*c, p.hash)) return false;
        c->run(
            "INSERT INTO pictures (hash, kind, width, height, bytes, added_by, added_ms) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            p.hash, p.kind, p.width, p.height, p.content.size(), p.added_by, p.added_at);
        write_parts(*c, p);
        write_audit(*c, line);
        t.commit();
        return true;
    });
    // Another node has stored the same content at the same time.
    if (!added && added.error() == make_error_code(errc::already_exists)) return false;
    return added;
}

result<picture> picture_book::find(const std::string& hash) {
    return guarded("pictures.find", [&]() -> result<picture> {
        const auto c = db_.reader();
        const transaction t(*c, access::read);
        picture p;
        std::size_t bytes = 0;
        {
            auto rows = c->ask(
                "SELECT hash, kind, width, height, added_by, added_ms, bytes FROM pictures "
                "WHERE hash = ?",
                hash);
            if (!rows.next()) return errc::not_found;
            rows.read(p.hash, p.kind, p.width, p.height, p.added_by, p.added_at, bytes);
        }
        auto rows = c->ask("SELECT content FROM picture_parts WHERE hash = ? ORDER BY place", hash);
        while (rows.next()) p.content.append(rows.asked().text(0));
        if (p.content.size() != bytes) return errc::corrupt;
        return p;
    });
}

}  // namespace floodgate::ledger
