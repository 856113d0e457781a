#include "api/showcase.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "api/fnv.hpp"
#include "api/reply.hpp"
#include "shop/catalogue_json.hpp"

namespace floodgate::api {
namespace {

namespace json = boost::json;
using shop::to_json;

page finished(std::string body) {
    std::string etag = fmt::format("\"{:016x}\"", fnv1a(body));
    return {std::make_shared<const std::string>(std::move(body)), std::move(etag)};
}

// {"a":1,"b":2 without its last brace, to be continued.
std::string open_end(const json::object& o) {
    std::string text = json::serialize(o);
    text.pop_back();
    return text;
}

// The short form of a product, for the list; the sale's own page has the rest.
json::object in_short(const sale::product& p) {
    const auto first = p.pictures.begin() + (p.pictures.empty() ? 0 : 1);
    return {{"id", p.id.value},
            {"title", p.title},
            {"pictures", json::array(p.pictures.begin(), first)},
            {"list_price_fen", p.list_price.value}};
}

std::string head_of(const sale::sale& s, json::object product, const sale::round& r) {
    return open_end({{"id", s.id.value},
                     {"product", std::move(product)},
                     {"round", {{"id", r.id.value}, {"title", r.title}}},
                     {"price_fen", s.price.value},
                     {"price_points", s.price_points.value},
                     {"stock", s.stock}}) +
           ",\"free\":";
}

std::string tail_of(const sale::sale& s) {
    std::string text = json::serialize(json::object{{"limit", s.limit},
                                                    {"pay_within_s", s.pay_within_s},
                                                    {"earns_points", s.earns_points.value},
                                                    {"state", to_text(s.state)},
                                                    {"starts_at", to_iso(s.starts_at)},
                                                    {"ends_at", to_iso(s.ends_at)}});
    text.front() = ',';
    return text;
}

std::shared_ptr<const sale_labels> label_sales(const std::vector<sale::product>& products,
                                               const std::vector<sale::sale>& sales) {
    std::map<sale::product_id, const sale::product*> known;
    for (const sale::product& p : products) known[p.id] = &p;
    auto labels = std::make_shared<sale_labels>();
    for (const sale::sale& s : sales)
        if (const auto found = known.find(s.product); found != known.end())
            labels->emplace(s.id.value,
                            sale_label{s.product, s.round, found->second->title, s.external_id,
                                       found->second->external_id, s.metadata});
    return labels;
}

}  // namespace

showcase::showcase(ledger::catalogue_book& book, gate::turnstile& turnstile,
                   const floodgate::clock& clock, shop::sale_memory memory)
    : book_(book), turnstile_(turnstile), clock_(clock), memory_(memory) {
    auto empty = std::make_shared<pages>();
    empty->rounds = empty->ended = std::make_shared<rounds_list>();
    empty->labels = std::make_shared<sale_labels>();
    publish(std::move(empty));
}

result<void> showcase::reload() {
    // Held while the database is read, so that the later one of two reloads wins.
    const std::lock_guard building(building_);
    auto products = book_.products_on_sale();
    if (!products) return products.error();
    auto rounds = book_.rounds();
    if (!rounds) return rounds.error();
    auto sales = book_.sales();
    if (!sales) return sales.error();

    display_ = arrange(*products, std::move(*rounds), *sales);
    auto built = std::make_shared<pages>();
    look_at_gate();
    for (std::size_t i = 0; i < display_.sales.size(); ++i)
        built->sales[display_.sales[i].id.value] = sale_page(i);
    list_into(*built);
    built->labels = label_sales(*products, *sales);
    publish(std::move(built));
    return {};
}

void showcase::refresh() {
    const std::unique_lock building(building_, std::try_to_lock);
    if (!building) return;
    const std::vector<std::size_t> moved = look_at_gate();
    const bool round_ended = clock_.now() >= list_good_until_;
    if (moved.empty() && !round_ended) return;
    auto built = std::make_shared<pages>(*read());
    for (const std::size_t i : moved) built->sales[display_.sales[i].id.value] = sale_page(i);
    list_into(*built);
    publish(std::move(built));
}

showcase::window_display showcase::arrange(const std::vector<sale::product>& products,
                                           std::vector<sale::round> rounds,
                                           const std::vector<sale::sale>& sales) const {
    std::ranges::sort(rounds, {}, [](const auto& r) { return std::tuple(r.starts_at, r.id); });
    std::map<sale::product_id, const sale::product*> product_by_id;
    for (const auto& p : products) product_by_id[p.id] = &p;
    std::map<sale::round_id, std::size_t> place_of_round;
    window_display out;
    for (std::size_t i = 0; i < rounds.size(); ++i) {
        place_of_round[rounds[i].id] = i;
        const sale::round& r = rounds[i];
        out.rounds.push_back(
            {r.id, r.starts_at, r.ends_at, open_end(to_json(r)) + ",\"sales\":[", {}});
    }
    for (const auto& s : sales) {
        const auto product = product_by_id.find(s.product);
        const auto place = place_of_round.find(s.round);
        // A sale that was added between the three queries is shown after the next reload.
        if (product == product_by_id.end() || place == place_of_round.end()) continue;
        if (s.state == sale::sale_state::draft || is_over(s)) continue;
        out.rounds[place->second].sales.push_back(out.sales.size());
        const sale::product& p = *product->second;
        const sale::round& r = rounds[place->second];
        out.sales.push_back(
            {s.id, head_of(s, to_json(p), r), head_of(s, in_short(p), r), tail_of(s), {}, {}});
    }
    std::erase_if(out.rounds, [&](const shown_round& r) { return r.sales.empty() && ended(r); });
    return out;
}

// Asks the gate for the free units of every sale and gives the places of those that changed.
std::vector<std::size_t> showcase::look_at_gate() {
    std::vector<sale::sale_id> ids;
    for (const shown_sale& s : display_.sales) ids.push_back(s.id);
    const auto standings = turnstile_.look_up_all(ids);
    std::vector<std::size_t> moved;
    for (std::size_t i = 0; i < display_.sales.size(); ++i) {
        shown_sale& s = display_.sales[i];
        std::optional<std::int64_t> free;
        if (standings[i]) free = standings[i]->stock - standings[i]->taken;
        if (free != s.free) moved.push_back(i);
        if (free && *free > 0) s.sold_out_at.reset();
        if (free && *free == 0 && s.free && *s.free > 0) s.sold_out_at = clock_.now();
        s.free = free;
    }
    return moved;
}

page showcase::sale_page(std::size_t place) const {
    const shown_sale& s = display_.sales[place];
    return finished(s.head + shown_free(s) + s.tail);
}

std::string showcase::shown_free(const shown_sale& s) {
    std::string out = s.free ? std::to_string(*s.free) : "null";
    if (s.sold_out_at)
        out.append(",\"sold_out_at\":\"").append(to_iso(*s.sold_out_at)).append("\"");
    return out;
}

listed_round showcase::listed(const shown_round& r) const {
    listed_round out{to_ms(r.starts_at), r.id.value, r.head, {}};
    for (const std::size_t place : r.sales) {
        const shown_sale& s = display_.sales[place];
        out.sales.push_back({s.id.value, s.listed_head + shown_free(s) + s.tail});
    }
    return out;
}

void showcase::list_into(pages& built) {
    built.rounds = list_rounds();
    built.ended = list_ended();
}

// Also notes until when the list is valid.
std::shared_ptr<const rounds_list> showcase::list_rounds() {
    list_good_until_ = instant::max();
    std::vector<listed_round> all;
    for (const shown_round& r : display_.rounds) {
        if (ended(r)) continue;
        list_good_until_ = std::min(list_good_until_, r.ends_at);
        all.push_back(listed(r));
    }
    return std::make_shared<const rounds_list>(all);
}

std::shared_ptr<const rounds_list> showcase::list_ended() const {
    std::vector<listed_round> all;
    for (const shown_round& r : display_.rounds)
        if (ended(r) && !r.sales.empty()) all.push_back(listed(r));
    return std::make_shared<const rounds_list>(all);
}

void showcase::publish(std::shared_ptr<const pages> built) {
    const std::lock_guard lock(mutex_);
    pages_.swap(built);
    version_.fetch_add(1, std::memory_order_release);
}

std::shared_ptr<const pages> showcase::read() const {
    const std::lock_guard lock(mutex_);
    return pages_;
}

}  // namespace floodgate::api
