// Staff's search among all orders.

#include "api/failure.hpp"
#include "api/order_json.hpp"
#include "api/orders_out_api.hpp"
#include "api/paging.hpp"
#include "api/query.hpp"
#include "sale/order_number.hpp"

namespace floodgate::api {
namespace {

constexpr bounds any_id{1, INT64_MAX};
constexpr std::size_t method_bytes_max = 12;

reply bad_word(const call& c, const char* name, const std::string& detail) {
    return problem_reply(problem::bad_request, c.language, {{"detail", detail}, {"field", name}});
}

// Reads the query into `q`, step by step. Once a step fails, `refusal` has the answer.
class query_reader {
public:
    query_reader(const call& c, ledger::order_query& q) : call_(c), query_(q) {}

    std::optional<reply> refusal{};

    void read() {
        read_id("sale_id", query_.sale);
        read_id("product_id", query_.product);
        read_id("round_id", query_.round);
        read_id("buyer_id", query_.buyer);
        read_id("after", query_.after);
        read_status();
        read_time("from", query_.from);
        read_time("to", query_.to);
        query_.method = query_value(call_, "method");
        if (query_.method && (query_.method->empty() || query_.method->size() > method_bytes_max))
            refuse("method", "method must have 1 to 12 bytes");
    }

private:
    void refuse(const char* name, const std::string& detail) {
        if (!refusal) refusal = bad_word(call_, name, detail);
    }
    std::int64_t number(const char* name) {
        const auto value = query_number(call_, name, any_id, 0);
        if (!value && !refusal) refusal = bad_query(call_, name, any_id);
        return value.value_or(0);
    }
    template <class Id>
    void read_id(const char* name, std::optional<Id>& to) {
        if (const std::int64_t value = number(name)) to = Id{value};
    }
    void read_id(const char* name, sale::order_no& to) {
        to.value = static_cast<std::uint64_t>(number(name));
    }
    void read_status() {
        const auto word = query_value(call_, "status");
        if (!word) return;
        query_.state = sale::parse_order_state(*word);
        if (!query_.state) refuse("status", "status must be the status of an order, such as paid");
    }
    void read_time(const char* name, std::optional<instant>& to) {
        const auto word = query_value(call_, name);
        if (!word) return;
        if (const auto at = parse_iso(*word))
            to = *at;
        else
            refuse(name, std::string(name) + " must be a time like 2026-11-15T10:00:00.000Z");
    }

    const call& call_;
    ledger::order_query& query_;
};

}  // namespace

reply search_orders(services& with, const call& c) {
    ledger::order_query q;
    query_reader reader(c, q);
    reader.read();
    if (reader.refusal) return *std::move(reader.refusal);
    if (const auto phone = query_value(c, "phone")) {
        const auto user = with.ledger.users().find(*phone);
        if (!user && user.error() != make_error_code(errc::not_found))
            return failure_reply(user.error(), c.language);
        // Nobody has the id 0, so an unknown number finds nothing.
        if (!user || (q.buyer && *q.buyer != user->id)) q.buyer = sale::user_id{0};
        if (user && !q.buyer) q.buyer = user->id;
    }
    constexpr page_rule pages{"orders", "before", 500, 50};
    const auto labels = with.showcase.labels();
    return page_reply(
        c, pages,
        [&](std::int64_t before, std::size_t count) {
            q.before.value = static_cast<std::uint64_t>(before);
            return with.ledger.search().find(q, count);
        },
        [&](const sale::order& o) {
            return boost::json::object{{"order", to_json(o, *labels)}, {"buyer_id", o.buyer.value}};
        },
        [](const sale::order& o) { return sale::to_text(o.no); });
}

}  // namespace floodgate::api
