#include "api/handler_fixture.hpp"

#include <boost/json/parse.hpp>

#include <fmt/format.h>

#include "api/openapi_contract.hpp"
#include "api/query_rules.hpp"

namespace floodgate::api {

HandlerTest::HandlerTest() : with_(all_services()) {
    next_.client = guard::parse_address("192.0.2.1").value();
}

std::unique_ptr<store::database> HandlerTest::open() {
    auto real = ledger::databases().front().open(directory_);
    how_->dialect = real->speaks();
    return ledger::tamper(std::move(real), how_);
}

services HandlerTest::all_services() {
    return {.clock = clock_,
            .turnstile = turnstile_,
            .ledger = book_,
            .sessions = sessions_,
            .passwords = passwords_,
            .login_by_address = by_address_,
            .login_limits = login_limits_,
            .register_by_address = register_by_address_,
            .purchase_by_address = purchase_by_address_,
            .purchase_by_user = unlimited_,
            .lookup_by_user = lookup_by_user_,
            .move_by_user = move_by_user_,
            .events = events_,
            .ticket_by_user = ticket_by_user_,
            .message_by_address = message_by_address_,
            .call_by_key = call_by_key_,
            .access = access_,
            .showcase = showcase_,
            .desk = desk_,
            .recent = recent_,
            .orders = orders_,
            .checkout = checkout_,
            .messages = messages_,
            .bills = bills_,
            .ledger_health = ledger_health_,
            .switches = switches_,
            .tickets = tickets_,
            .login_lifetime = milliseconds(3'600'000),
            .alarms = alarms_,
            .letters = letters_,
            .reconciliation = reconciliation_,
            .node = node_,
            .operators = operators_,
            .pictures = pictures_,
            .live = live_,
            .points = &points_,
            .configuration = &configuration_};
}

answered HandlerTest::ask(verb v, const std::string& target, const std::string& body) {
    call c = next_;
    const std::size_t query = std::min(target.find('?'), target.size());
    const std::string path = target.substr(0, query);
    c.path = path.starts_with("//") ? path.substr(1) : "/api/v1" + path;
    if (query < target.size()) c.query = target.substr(query + 1);
    c.body = body;
    c.user = who_.user;
    c.role = who_.role;
    c.now = clock_.now();
    const route_match found = match(v, c.path);
    if (!found.route || (!found.route->work && !found.route->first)) {
        ADD_FAILURE() << to_text(v) << " " << c.path << " has no handler";
        return {};
    }
    c.ids = found.ids();
    c.name = found.name;
    const auto refused = refusal_of_query(*found.route, c.query, c.language);
    const reply r = refused ? *refused : perform(*found.route, c);
    EXPECT_EQ(breach_of_contract(to_text(v), found.route->path, r), "")
        << to_text(v) << " " << target << " " << r.status << " " << r.body;
    const bool json = r.content_type.ends_with("json") && !r.body.empty() &&
                      r.content_type != "application/x-ndjson";
    return {r.status, json ? boost::json::parse(r.body) : boost::json::value(), r.headers,
            content_of(r)};
}

// As the event loop does it.
reply HandlerTest::perform(const route& r, const call& c) {
    second_step_in_.reset();
    if (r.work) return r.work(with_, c);
    const first_answer answer = r.first(with_, c);
    if (const auto* done = std::get_if<reply>(&answer)) return *done;
    const auto& rest = std::get<second_step>(answer);
    second_step_in_ = rest.where;
    return rest.work();
}

std::int64_t HandlerTest::draft_sale(std::int64_t stock, int limit) {
    const guard::identity before = std::exchange(who_, {{1}, sale::role::admin});
    const auto product = post("/admin/products", R"({"title":"Kettle","list_price_fen":19900})");
    const auto round =
        post("/admin/rounds",
             fmt::format(R"({{"title":"Noon","starts_at":"{}",)"
                         R"("ends_at":"{}"}})",
                         to_iso(ledger::noon), to_iso(ledger::noon + std::chrono::hours(2))));
    const auto sale =
        post("/admin/sales",
             fmt::format(
                 R"({{"product_id":{},"round_id":{},"price_fen":9900,"stock":{},"limit":{}}})",
                 product.body.at("id").as_int64(), round.body.at("id").as_int64(), stock, limit));
    EXPECT_EQ(sale.status, 201);
    who_ = before;
    return sale.body.at("id").as_int64();
}

std::int64_t HandlerTest::published_sale(std::int64_t stock, int limit) {
    const std::int64_t id = draft_sale(stock, limit);
    const guard::identity before = std::exchange(who_, {{1}, sale::role::admin});
    EXPECT_EQ(post(fmt::format("/admin/sales/{}/publish", id)).status, 200);
    who_ = before;
    return id;
}

sale::verdict HandlerTest::buy(std::int64_t buyer, std::int64_t sale, std::uint32_t quantity) {
    const auto lane = turnstile_.open_lane([] {});
    const sale::attempt a{.sale = {sale}, .buyer = {buyer}, .quantity = quantity};
    lane->submit({&a, 1}, clock_.now());
    std::vector<sale::verdict> out;
    lane->collect(out);
    return out.at(0);
}

void HandlerTest::enter_all() {
    const std::vector<sale::promise> batch(
        line_.kept.begin() + static_cast<std::ptrdiff_t>(entered_), line_.kept.end());
    entered_ = line_.kept.size();
    if (batch.empty()) return;
    verbs_.enter(batch);
    recent_.start_from(batch.back().order);
}

}  // namespace floodgate::api
