// The part of catalogue_book that puts many sales at once.

#include <fmt/format.h>

#include <map>
#include <vector>

#include "ledger/catalogue_book.hpp"
#include "ledger/catalogue_rows.hpp"
#include "ledger/guarded.hpp"
#include "ledger/id_statement.hpp"
#include "ledger/stock_log.hpp"

namespace floodgate::ledger {
namespace {

using store::access;
using store::transaction;

template <class Id>
using ids_by_name = std::map<std::string, Id, std::less<>>;

put_result refused(errc why, const char* field, std::string detail) {
    return {put_outcome::refused, 0, why, field, std::move(detail)};
}

bool same_terms(const sale::sale& a, const sale::sale& b) {
    return a.price == b.price && a.price_points == b.price_points && a.limit == b.limit &&
           a.pay_within_s == b.pay_within_s && a.resell_refunded == b.resell_refunded &&
           a.earns_points == b.earns_points && a.metadata == b.metadata;
}

// One transaction's work on a batch of lines.
class sale_batch {
public:
    sale_batch(store::connection& c, const put_options& o, const put_signer& sign)
        : c_(c), with_(o), sign_(sign) {}

    void look_up(std::span<const sale::sale_line> lines) {
        std::vector<std::string> sales, products, rounds;
        for (const sale::sale_line& l : lines) {
            sales.push_back(l.external_id);
            if (l.product) products.push_back(*l.product);
            if (l.round) rounds.push_back(*l.round);
            if (l.described_round && !l.described_round->external_id.empty())
                rounds.push_back(l.described_round->external_id);
        }
        ask_for_ids(c_, std::string(all_sales) + " WHERE s.external_id IN {}", sales,
                    [&](store::row_cursor& rows) {
                        while (rows.next()) {
                            sale::sale s = read_sale(rows);
                            sales_.insert_or_assign(s.external_id, std::move(s));
                        }
                    });
        ask_for_ids(c_, std::string(all_products) + "WHERE external_id IN {}", products,
                    [&](store::row_cursor& rows) {
                        while (rows.next()) {
                            const sale::product p = read_product(rows);
                            products_.insert_or_assign(p.external_id, p.id);
                        }
                    });
        ask_for_ids(c_, std::string(all_rounds) + "WHERE external_id IN {}", rounds,
                    [&](store::row_cursor& rows) {
                        while (rows.next()) {
                            sale::round r = read_round(rows);
                            rounds_.insert_or_assign(r.external_id, std::move(r));
                        }
                    });
    }

    put_result put(const sale::sale_line& l) {
        std::optional<put_result> fault;
        const auto product = product_of(l, fault);
        if (fault) return *fault;
        const auto known = sales_.find(l.external_id);
        // A round is made only for a sale that is made as well.
        if (known == sales_.end() && (!product || !l.terms.price || !l.stock || !names_round(l)))
            return missing(l);
        const auto round = round_of(l, known == sales_.end(), fault);
        if (fault) return *fault;
        if (known == sales_.end()) return create(l, *product, *round);
        if ((product && *product != known->second.product) ||
            (names_round(l) && (!round || round->id != known->second.round)))
            return refused(errc::conflict, "external_id",
                           "the sale exists with another product or round, which cannot change");
        return change(l, known->second);
    }

private:
    static bool names_round(const sale::sale_line& l) { return l.round || l.described_round; }

    static put_result missing(const sale::sale_line& l) {
        const char* field = !l.product        ? "product"
                            : !names_round(l) ? "round"
                            : !l.terms.price  ? "price_fen"
                                              : "stock";
        return refused(errc::invalid, field, fmt::format("a new sale needs a {}", field));
    }

    std::optional<sale::product_id> product_of(const sale::sale_line& l,
                                               std::optional<put_result>& fault) {
        if (!l.product) return std::nullopt;
        const auto at = products_.find(*l.product);
        if (at != products_.end()) return at->second;
        fault = refused(errc::not_found, "product",
                        fmt::format("there is no product with the external id {}", *l.product));
        return std::nullopt;
    }

    std::optional<sale::round> round_of(const sale::sale_line& l, bool may_make,
                                        std::optional<put_result>& fault) {
        if (l.described_round) return described(*l.described_round, may_make, fault);
        if (!l.round) return std::nullopt;
        const auto at = rounds_.find(*l.round);
        if (at != rounds_.end()) return at->second;
        fault = refused(errc::not_found, "round",
                        fmt::format("there is no round with the external id {}", *l.round));
        return std::nullopt;
    }

    std::optional<sale::round> described(const sale::round& wanted, bool may_make,
                                         std::optional<put_result>& fault) {
        if (!makes_sense(wanted)) {
            fault = refused(errc::invalid, "round", "a round must end later than it starts");
            return std::nullopt;
        }
        auto found = find_round(wanted);
        const auto same = [&](const sale::round& r) {
            return r.title == wanted.title && r.starts_at == wanted.starts_at &&
                   r.ends_at == wanted.ends_at;
        };
        if (found && !same(*found))
            fault = refused(
                errc::conflict, "round",
                fmt::format("the round {} has another title or window", wanted.external_id));
        if (found || !may_make) return found;
        sale::round made = wanted;
        made.id = insert_round(c_, made);
        write_audit(c_, sign_.round(made));
        if (!made.external_id.empty()) rounds_.insert_or_assign(made.external_id, made);
        return made;
    }

    std::optional<sale::round> find_round(const sale::round& wanted) {
        if (!wanted.external_id.empty()) {
            const auto at = rounds_.find(wanted.external_id);
            return at == rounds_.end() ? std::nullopt : std::optional(at->second);
        }
        auto rows = c_.ask(std::string(all_rounds) +
                               "WHERE starts_ms = ? AND ends_ms = ? AND title = ? ORDER BY id",
                           wanted.starts_at, wanted.ends_at, wanted.title);
        if (!rows.next()) return std::nullopt;
        return read_round(rows);
    }

    bool is_taken(const sale::sale& s) {
        return c_
            .ask("SELECT id FROM sales WHERE round_id = ? AND product_id = ?", s.round, s.product)
            .next();
    }

    put_result create(const sale::sale_line& l, sale::product_id product, const sale::round& in) {
        sale::sale made = l.terms.applied_to({});
        made.external_id = l.external_id;
        made.product = product;
        made.round = in.id;
        made.starts_at = in.starts_at;
        made.ends_at = in.ends_at;
        made.stock = *l.stock;
        if (!makes_sense(made)) return refused(errc::invalid, "", "a value is out of bounds");
        if (is_taken(made))
            return refused(errc::already_exists, "product",
                           "the product is in that round already, as another sale");
        made.id = insert_sale(c_, made);
        stock_move first;
        first.sale = made.id;
        first.kind = "created";
        first.stock_after = made.stock;
        first.at = with_.now;
        first.audit_id = write_audit(c_, sign_.sale(nullptr, made));
        write_move(c_, first);
        sales_.insert_or_assign(l.external_id, made);
        return {put_outcome::created, made.id.value};
    }

    put_result change(const sale::sale_line& l, sale::sale& known) {
        sale::sale after = l.terms.applied_to(known);
        after.external_id = l.external_id;
        after.stock = l.stock.value_or(known.stock);
        const bool terms = !same_terms(known, after), stock = after.stock != known.stock;
        if (!terms && !stock) return {put_outcome::unchanged, known.id.value};
        if (known.state == sale::sale_state::ended)
            return refused(errc::conflict, "", "the sale has ended");
        if (!makes_sense(after)) return refused(errc::invalid, "", "a value is out of bounds");
        if (known.state != sale::sale_state::draft) return {put_outcome::on_sale, known.id.value};
        sale::sale moved = known;  // with the new stock and the old terms
        if (stock) {
            moved.stock = after.stock;
            if (!move_stock(known, moved))
                return refused(errc::conflict, "stock", "the sale was changed at the same time");
        }
        if (terms) {
            rewrite_terms(c_, after);
            write_audit(c_, sign_.sale(&moved, after));
        }
        known = after;
        return {put_outcome::updated, known.id.value};
    }

    // Of a draft, which holds nothing.
    bool move_stock(const sale::sale& before, const sale::sale& after) {
        if (c_.run("UPDATE sales SET stock = ?, revision = revision + 1 WHERE id = ? AND "
                   "stock = ? AND held <= ? AND state = 'draft'",
                   after.stock, after.id, before.stock, after.stock) == 0)
            return false;
        const char* kind = after.stock > before.stock ? "added" : "removed";
        const std::int64_t line = write_audit(c_, sign_.stock(before.stock, after));
        write_move(c_, {0, after.id, kind, before.stock, after.stock, 0, 0, "", with_.now, line});
        return true;
    }

    store::connection& c_;
    const put_options& with_;
    const put_signer& sign_;
    std::map<std::string, sale::sale, std::less<>> sales_;
    ids_by_name<sale::product_id> products_;
    std::map<std::string, sale::round, std::less<>> rounds_;
};

}  // namespace

result<std::vector<put_result>> catalogue_book::put_sales(std::span<const sale::sale_line> lines,
                                                          const put_options& o,
                                                          const put_signer& sign) {
    return guarded("catalogue.put_sales", [&]() -> result<std::vector<put_result>> {
        std::vector<put_result> out;
        const auto c = db_.writer();
        transaction t(*c, access::write);
        sale_batch batch(*c, o, sign);
        batch.look_up(lines);
        for (const sale::sale_line& l : lines) out.push_back(batch.put(l));
        if (!o.dry_run) t.commit();
        return out;
    });
}

}  // namespace floodgate::ledger
