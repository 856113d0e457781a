#include "gate/refusal_cache.hpp"

#include <algorithm>

namespace floodgate::gate {
namespace {

namespace field = schema::field;
using sale::answer;
using store::number_or_zero;

constexpr std::size_t sales_max = 256;  // kept at a time
constexpr std::size_t wishes_max = 1024;
constexpr std::int64_t buyers_max = 2'000'000;
constexpr milliseconds rest_min{200};  // the least pause between two copies of one sale
constexpr int rest_share = 20;         // the pause is also this many times as long as the copying

bool is_by_terms(answer a) {
    return a == answer::paused || a == answer::not_started || a == answer::ended ||
           a == answer::over_limit;
}

bool is_by_buyers(answer a) {
    return a == answer::sold_out || a == answer::already_ordered || a == answer::cooling_down;
}

}  // namespace

void refusal_cache::view::renew() {
    now_ = of_.clock_.now();
    if (of_.version_.load(std::memory_order_acquire) == version_) return;
    const std::lock_guard lock(of_.mutex_);
    seen_ = of_.current_;
    version_ = of_.version_.load(std::memory_order_relaxed);
}

std::optional<sale::verdict> refusal_cache::view::refuse(const sale::attempt& a, instant now) {
    if (seen_->empty() || a.key != sale::no_key) return std::nullopt;
    const auto found = seen_->find(a.sale);
    if (found == seen_->end()) return std::nullopt;
    const copy& r = *found->second;
    if (now_ >= r.good_until.load(std::memory_order_relaxed)) return std::nullopt;
    const sale::verdict v = r.what.judge(a, now);
    if (is_by_terms(v.what) || (is_by_buyers(v.what) && r.buyers)) return v;
    return std::nullopt;
}

bool refusal_cache::view::note(sale::sale_id sale, answer said) {
    const bool buyers = said == answer::sold_out;
    if (!buyers && !is_by_terms(said)) return false;
    const auto found = seen_->find(sale);
    if (found == seen_->end() || (buyers && !found->second->buyers)) of_.want(sale, buyers);
    return true;
}

void refusal_cache::want(sale::sale_id sale, bool buyers) {
    const std::lock_guard lock(mutex_);
    if (wishes_.size() >= wishes_max && !wishes_.contains(sale)) return;
    wish& w = wishes_[sale];
    w.open = true;
    w.buyers = w.buyers || buyers;
}

bool refusal_cache::wanted() const {
    const moment now = clock_.now();
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(
        wishes_, [&](const auto& w) { return w.second.open && w.second.not_before <= now; });
}

void refusal_cache::replace(const all& next) {
    current_ = std::make_shared<const all>(next);
    version_.fetch_add(1, std::memory_order_release);
}

void refusal_cache::lift(sale::sale_id sale) {
    const std::lock_guard lock(mutex_);
    ++lifts_;
    if (!current_->contains(sale)) return;
    all next = *current_;
    next.erase(sale);
    replace(next);
}

void refusal_cache::refresh() {
    check();
    take_up();
}

std::vector<std::optional<refusal_cache::facts>> refusal_cache::ask(
    const std::vector<sale::sale_id>& sales) {
    std::vector<std::optional<facts>> out(sales.size());
    if (sales.empty()) return out;
    std::vector<store::redis::command> commands;
    for (const sale::sale_id id : sales) {
        const std::string gate = keys_.gate(keys_.home_of(id)), key = keys_.of(id).sale;
        commands.push_back({gate, {"HMGET", gate, field::epoch, field::open}});
        commands.push_back(
            {key,
             {"HMGET", key, field::state, field::starts, field::ends, field::limit, field::stock,
              field::revision, field::given, field::returned, field::cooling}});
    }
    const auto replies = redis_.ask_all(commands);
    if (!replies) return out;
    constexpr std::size_t terms_fields = 6, fields = 9;
    for (std::size_t i = 0; i < sales.size(); ++i) {
        const auto& gate = (*replies)[2 * i].items;
        const auto& f = (*replies)[2 * i + 1].items;
        if (gate.size() != 2 || f.size() != fields || gate[1].text != schema::is_open ||
            f[0].is_nil())
            continue;
        facts& to = out[i].emplace();
        to.terms.id = sales[i];
        to.terms.state = static_cast<sale::sale_state>(number_or_zero(f[0]));  // schema::digit_of
        to.terms.starts_at = from_ms(number_or_zero(f[1]));
        to.terms.ends_at = from_ms(number_or_zero(f[2]));
        to.terms.limit = static_cast<std::uint32_t>(number_or_zero(f[3]));
        to.terms.stock = number_or_zero(f[4]);
        to.taken = number_or_zero(f[6]) - number_or_zero(f[7]);
        to.of_terms = gate[0].text;
        for (std::size_t n = 0; n < terms_fields; ++n) to.of_terms += "," + f[n].text;
        to.cooling = !f[8].is_nil();
        to.of_all = to.of_terms + "," + f[6].text + "," + f[7].text + "," + f[8].text;
    }
    return out;
}

std::optional<refusal_cache::facts> refusal_cache::ask(sale::sale_id sale) {
    return ask(std::vector{sale}).front();
}

// Prolongs the copies whose sales have not changed and forgets the others.
void refusal_cache::check() {
    std::shared_ptr<const all> copies;
    {
        const std::lock_guard lock(mutex_);
        copies = current_;
    }
    if (copies->empty()) return;
    std::vector<sale::sale_id> sales;
    for (const auto& [id, r] : *copies) sales.push_back(id);
    const moment asked = clock_.now();
    const auto found = ask(sales);
    std::vector<sale::sale_id> changed;
    for (std::size_t i = 0; i < sales.size(); ++i) {
        copy& r = *copies->find(sales[i])->second;
        const bool same =
            found[i] && (r.buyers ? found[i]->of_all : found[i]->of_terms) == r.unchanged_if;
        if (same) r.good_until.store(asked + max_age_, std::memory_order_relaxed);
        // When Redis does not answer, the copy is forgotten once it is too old.
        if (!same && (found[i] || r.good_until.load(std::memory_order_relaxed) <= asked))
            changed.push_back(sales[i]);
    }
    for (const sale::sale_id id : changed) lift(id);
}

void refusal_cache::take_up() {
    std::vector<std::pair<sale::sale_id, bool>> due;
    std::uint64_t lifts = 0;
    const moment began = clock_.now();
    {
        const std::lock_guard lock(mutex_);
        lifts = lifts_;
        for (auto& [id, w] : wishes_)
            if (w.open && w.not_before <= began) due.emplace_back(id, w.buyers);
        erase_if(wishes_,
                 [&](const auto& w) { return !w.second.open && w.second.not_before <= began; });
    }
    for (const auto& one : due) {
        const sale::sale_id id = one.first;
        const moment from = clock_.now();
        const auto made = copy_of(id, one.second);
        const moment now = clock_.now();
        const std::lock_guard lock(mutex_);
        wishes_[id] = {.not_before =
                           now + std::max<moment::duration>(rest_min, (now - from) * rest_share)};
        // Units came back while the sale was being copied; the copy may have missed them.
        if (!made || lifts != lifts_) continue;
        if (current_->size() >= sales_max && !current_->contains(id)) continue;
        all next = *current_;
        next[id] = made;
        replace(next);
    }
}

std::shared_ptr<refusal_cache::copy> refusal_cache::copy_of(sale::sale_id sale, bool buyers) {
    const moment asked = clock_.now();
    std::optional<facts> f = ask(sale);
    if (!f || f->terms.limit == 0) return nullptr;
    sale::sale terms = f->terms;
    buyers = buyers && f->taken >= terms.stock && f->taken <= buyers_max;
    if (!buyers) terms.stock = 1;  // never reported, so any value will do
    auto made = std::make_shared<copy>(terms);
    made->buyers = buyers;
    made->unchanged_if = buyers ? f->of_all : f->of_terms;
    made->good_until = asked + max_age_;
    if (!buyers) return made;
    if (!load_buyers(*f, made->what) || !load_cooling(*f, made->what)) return nullptr;
    const moment again = clock_.now();
    const auto after = ask(sale);
    if (!after || after->of_all != f->of_all) return nullptr;
    made->good_until = again + max_age_;
    return made;
}

// Reads in steps, so that Redis keeps no other client waiting long. A buyer that is read twice is
// put down once.
bool refusal_cache::load_buyers(const facts& f, shelf& into) {
    const std::string key = keys_.of(f.terms.id).buyers;
    std::string cursor = "0";
    do {
        const auto step = redis_.ask(key, {"HSCAN", key, cursor, "COUNT", "1000"});
        if (!step || step->items.size() != 2) return false;
        cursor = step->items[0].text;
        const auto& pairs = step->items[1].items;
        for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
            sale::promise p{.sale = f.terms.id, .buyer = unpack_buyer(pairs[i].text)};
            for (const packed_order& o : unpack_orders(pairs[i + 1].text)) {
                p.order = o.order;
                p.quantity = o.quantity;
                if (!into.retake(p)) return false;
            }
        }
    } while (cursor != "0");
    return into.look().taken == f.taken;
}

bool refusal_cache::load_cooling(const facts& f, shelf& into) {
    if (!f.cooling) return true;
    const std::string key = keys_.of(f.terms.id).cooling;
    std::string cursor = "0";
    do {
        const auto step = redis_.ask(key, {"ZSCAN", key, cursor, "COUNT", "1000"});
        if (!step || step->items.size() != 2) return false;
        cursor = step->items[0].text;
        const auto& pairs = step->items[1].items;
        for (std::size_t i = 0; i + 1 < pairs.size(); i += 2)
            into.cool({unpack_buyer(pairs[i].text), from_ms(number_or_zero(pairs[i + 1]))});
    } while (cursor != "0");
    return true;
}

}  // namespace floodgate::gate
