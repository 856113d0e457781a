// The part of catalogue_book that puts many products at once.

#include <map>
#include <vector>

#include "ledger/catalogue_book.hpp"
#include "ledger/catalogue_rows.hpp"
#include "ledger/guarded.hpp"
#include "ledger/id_statement.hpp"

namespace floodgate::ledger {
namespace {

using store::access;
using store::transaction;
using known_products = std::map<std::string, sale::product, std::less<>>;

known_products find_products(store::connection& c, const std::vector<std::string>& external_ids) {
    std::vector<sale::product> found;
    std::string sql = std::string(all_products) + "WHERE external_id IN {}";
    sql.append(c.speaks().for_update);
    ask_for_ids(c, sql, external_ids, [&](store::row_cursor& rows) {
        while (rows.next()) found.push_back(read_product(rows));
    });
    hang_pictures(c, found);
    known_products out;
    for (sale::product& p : found) out.emplace(p.external_id, std::move(p));
    return out;
}

bool same(const sale::product& a, const sale::product& b) {
    return a.title == b.title && a.description == b.description && a.pictures == b.pictures &&
           a.list_price == b.list_price && a.metadata == b.metadata;
}

put_result put(store::connection& c, known_products& known, const sale::product_line& line,
               const put_signer& sign) {
    const auto at = known.find(line.external_id);
    const bool is_new = at == known.end();
    sale::product after = line.change.applied_to(is_new ? sale::product{} : at->second);
    after.external_id = line.external_id;
    if (is_new) {
        if (!line.change.title)
            return {put_outcome::refused, 0, errc::invalid, "title", "a new product needs a title"};
        if (!line.change.list_price)
            return {put_outcome::refused, 0, errc::invalid, "list_price_fen",
                    "a new product needs a list_price_fen"};
        after.id = insert_product(c, after);
        write_audit(c, sign.product(nullptr, after));
        known.emplace(line.external_id, after);
        return {put_outcome::created, after.id.value};
    }
    if (same(at->second, after)) return {put_outcome::unchanged, after.id.value};
    rewrite_product(c, after);
    write_audit(c, sign.product(&at->second, after));
    at->second = after;
    return {put_outcome::updated, after.id.value};
}

}  // namespace

result<std::vector<put_result>> catalogue_book::put_products(
    std::span<const sale::product_line> lines, const put_options& o, const put_signer& sign) {
    return guarded("catalogue.put_products", [&]() -> result<std::vector<put_result>> {
        std::vector<put_result> out;
        std::vector<std::string> ids;
        for (const sale::product_line& l : lines) ids.push_back(l.external_id);
        const auto c = db_.writer();
        transaction t(*c, access::write);
        known_products known = find_products(*c, ids);
        for (const sale::product_line& l : lines) out.push_back(put(*c, known, l, sign));
        if (!o.dry_run) t.commit();
        return out;
    });
}

}  // namespace floodgate::ledger
