#include "commands/check_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/or_throw.hpp"
#include "commands/check_earnings.hpp"
#include "commands/check_points.hpp"
#include "commands/line_gap.hpp"
#include "engine/open_ledger.hpp"
#include "gate/redis_turnstile.hpp"
#include "sale/gate_schema.hpp"
#include "shop/gate_loader.hpp"
#include "shop/order_match.hpp"
#include "store/redis/facts.hpp"

namespace floodgate::commands {
namespace {

constexpr std::size_t named_max = 20;  // orders of a sale

// The promises in the streams, which are only read. Promises that RabbitMQ has already are not
// there.
class in_the_streams final : public shop::in_flight {
public:
    in_the_streams(store::redis& redis, const engine::cluster_settings& of)
        : redis_(redis), of_(of) {}

    std::uint64_t count(const ledger::tally&) override { return 0; }  // not used by this check

    result<std::vector<sale::order_no>> of_sale(sale::sale_id id) override {
        const std::string line = sale::key_of(of_.name, sale::partition_of(id, of_.partitions),
                                              sale::gate_schema::key::line);
        std::vector<sale::order_no> out;
        const auto read = for_each_entry(
            line, "-", [&](const store::redis_reply& entry) { collect(entry, id, out); });
        if (!read) return read.error();
        std::ranges::sort(out);
        return out;
    }

    // The first numbers after `entered` that the line should have up to `last`, and has not.
    result<std::optional<line_gap>> first_gap(sale::partition p, sale::line_place entered,
                                              std::uint64_t last) {
        const std::string line = sale::key_of(of_.name, p, sale::gate_schema::key::line);
        gap_finder found(entered);
        const auto read = for_each_entry(
            line, sale::entry_id({entered.epoch, entered.number + 1}),
            [&](const store::redis_reply& entry) {
                const auto at = sale::parse_entry_id(entry.items.at(0).text);
                const auto promises = sale::decode_entry(entry.items.at(1).items.at(1).text);
                if (at && promises) found.see(*at, promises->size());
            });
        if (!read) return read.error();
        return found.finish(last);
    }

private:
    static constexpr const char* page_entries = "1000";

    template <class Visit>
    result<void> for_each_entry(const std::string& line, std::string from, Visit visit) {
        for (;;) {
            const auto page = redis_.ask(line, {"XRANGE", line, from, "+", "COUNT", page_entries});
            if (!page) return page.error();
            if (page->items.empty()) return {};
            for (const store::redis_reply& entry : page->items) visit(entry);
            from = "(" + page->items.back().items.at(0).text;
        }
    }

    static void collect(const store::redis_reply& entry, sale::sale_id id,
                        std::vector<sale::order_no>& out) {
        const auto promises = sale::decode_entry(entry.items.at(1).items.at(1).text);
        if (!promises) return;
        for (const sale::promise& p : *promises)
            if (p.sale == id) out.push_back(p.order);
    }

    store::redis& redis_;
    const engine::cluster_settings& of_;
};

class comparison {
public:
    explicit comparison(const engine::settings& s)
        : partitions_(s.cluster.partitions),
          through_rabbit_(s.cluster.queue == engine::queue_kind::rabbitmq),
          redis_(s.cluster.redis),
          book_(engine::open_database(s)),
          gate_(redis_, {.name = s.cluster.name, .partitions = partitions_}, {}),
          loader_(book_, s.memory),
          between_(redis_, s.cluster) {
        (void)store::probe_redis(s.cluster.redis);  // throws with one clear line
    }

    std::vector<std::string> run() {
        found_ = or_throw(book_.orders().check(), "ledger");
        for (std::uint32_t n = 0; n < partitions_; ++n) look_at(sale::partition{n});
        std::size_t sales = 0;
        for (const sale::sale& s : or_throw(book_.catalogue().sales(), "ledger")) {
            if (!or_throw(loader_.needs(s, wall_clock().now()), "ledger")) continue;
            if (not_built_.contains(sale::partition_of(s.id, partitions_))) continue;
            look_at(s);
            ++sales;
        }
        fmt::print("ledger: {} orders that hold stock\ngate: {} sales, {} promises in the line\n",
                   held_, sales, queued_);
        if (through_rabbit_)
            fmt::print(
                "queue: what RabbitMQ holds was not read, so promises that are missing between the "
                "gate and the ledger are not looked for\n");
        return std::move(found_);
    }

private:
    void look_at(sale::partition p) {
        const auto state = or_throw(gate_.state_of(p), "redis");
        const auto position = or_throw(book_.orders().position(sale::line_of(p)), "ledger");
        const sale::line_place at = sale::to_place(position);
        if (!state.open) {
            fmt::print("gate: partition {} is not built; the next node builds it\n", p.number);
            not_built_.insert(p);
            return;
        }
        if (const auto why = partition_mismatch(p, state, at)) return wrong(*why);
        queued_ += state.appended - at.number;
        if (!through_rabbit_) follow_line(p, at, state.appended);
    }

    // Every promise between the ledger's position and the end of the line must be in the line. A
    // clerk may be entering them meanwhile; those that it has removed are in the ledger by then.
    void follow_line(sale::partition p, sale::line_place entered, std::uint64_t last) {
        const auto gap = or_throw(between_.first_gap(p, entered, last), "redis");
        if (!gap) return;
        const auto now =
            sale::to_place(or_throw(book_.orders().position(sale::line_of(p)), "ledger"));
        if (now.epoch != entered.epoch || now.number >= gap->to) return;
        wrong(
            fmt::format("partition {}: the ledger has entered only up to promise {}, and promises "
                        "{} to {} are not in the line: they are missing",
                        p.number, now.number, gap->from, gap->to));
    }

    void look_at(const sale::sale& s) {
        const auto standing = gate_.look_up(s.id);
        if (!standing) return wrong(fmt::format("sale {}: the gate does not have it", s.id.value));
        if (standing->stock != s.stock)
            wrong(fmt::format("sale {}: the gate has {} units in total, the ledger {}", s.id.value,
                              standing->stock, s.stock));
        const auto differences =
            or_throw(shop::match_orders({book_, gate_, between_}, s.id), "ledger");
        for (const std::string& what : shop::say(book_, differences, named_max)) wrong(what);
        std::int64_t units = 0;
        or_throw(book_.tallies().for_each_held(s.id,
                                               [&](const ledger::held_order& o) {
                                                   units += o.quantity;
                                                   ++held_;
                                               }),
                 "ledger");
        // Looks again, because buyers may have bought or given up meanwhile.
        const auto after = gate_.look_up(s.id);
        const auto on_their_way = or_throw(between_.of_sale(s.id), "redis");
        if (after && after->given == standing->given && after->returned == standing->returned &&
            on_their_way.empty() && after->taken != units)
            wrong(fmt::format("sale {}: the gate counts {} units as taken, the ledger {}",
                              s.id.value, after->taken, units));
    }

    void wrong(std::string what) { found_.push_back(std::move(what)); }

    const std::uint32_t partitions_;
    const bool through_rabbit_;  // which holds promises that are neither in the line nor entered
    store::redis redis_;
    ledger::ledger book_;
    gate::redis_turnstile gate_;
    shop::gate_loader loader_;
    in_the_streams between_;
    std::set<sale::partition> not_built_;
    std::uint64_t held_ = 0, queued_ = 0;
    std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> check_cluster(const engine::settings& s) {
    std::vector<std::string> found = comparison(s).run();
    if (!s.points.enabled) return found;
    if (s.points.live_elsewhere()) {
        say_points_live_elsewhere();
        return found;
    }
    const auto points = engine::open_points_database(s);
    ledger::ledger book(engine::open_database(s));
    for (const auto& wrong : {check_points(*points), check_earnings(book.earnings(), *points)})
        found.insert(found.end(), wrong.begin(), wrong.end());
    return found;
}

}  // namespace floodgate::commands
