// Any bytes as a request body, read as the real handlers do. It must neither crash nor hang, and
// values that pass finish() must keep the rules.
//
// The first byte chooses the handler.

#include <boost/json/parse.hpp>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

#include "api/auth_api.hpp"
#include "api/json_body.hpp"
#include "api/json_keys.hpp"
#include "guard/account_rules.hpp"
#include "http/conversation.hpp"
#include "http/purchase.hpp"
#include "sale/catalogue.hpp"
#include "sale/user.hpp"

namespace {

using namespace floodgate;
using namespace floodgate::api;
using namespace floodgate::http;

constexpr bounds ids{1, std::numeric_limits<std::int64_t>::max()};
constexpr text_rule title{.min = 1, .max = sale::title_bytes_max, .name = true};

void require(bool holds) {
    if (!holds) std::abort();
}

void require_within(std::optional<std::int64_t> value, bounds allowed) {
    require(!value || (*value >= allowed.min && *value <= allowed.max));
}

// A sentence that fits into the answer: the answer must be JSON again, whatever was sent.
void check_fault(const body_fault& fault) {
    require(!fault.detail.empty());
    for (const language lang : {language::en, language::zh}) {
        const reply r = refuse(fault, lang);
        require(r.status == 400);
        boost::system::error_code broken;
        boost::json::parse(r.body, broken);
        require(!broken);
    }
}

void read_product(json_body& body) {
    constexpr text_rule lines{.max = sale::description_bytes_max, .lines = true};
    constexpr list_rule rule{.count_max = sale::pictures_max,
                             .each = {.min = 1, .max = sale::picture_bytes_max, .picture = true}};
    body.require({"title", "list_price_fen"});
    const auto name = body.optional_text("title", title);
    const auto description = body.optional_text("description", lines);
    const auto pictures = body.optional_texts("pictures", rule);
    const auto price = body.optional_integer("list_price_fen", {0, sale::price_fen_max});
    if (const auto fault = body.finish()) return check_fault(*fault);
    require(name && !name->empty() && name->size() <= title.max);
    require(!description || description->size() <= lines.max);
    require(price.has_value());
    require_within(price, {0, sale::price_fen_max});
    if (!pictures) return;
    require(pictures->size() <= rule.count_max);
    for (const auto& p : *pictures) require(!p.empty() && p.size() <= rule.each.max);
}

void read_round(json_body& body) {
    body.require({"title", "starts_at", "ends_at"});
    body.optional_text("title", title);
    const auto starts = body.optional_time("starts_at");
    const auto ends = body.optional_time("ends_at");
    if (const auto fault = body.finish()) return check_fault(*fault);
    require(starts && ends);
    require(parse_iso(to_iso(*starts)) == starts);
    require(parse_iso(to_iso(*ends)) == ends);
}

void read_sale(json_body& body) {
    const auto product = body.integer("product_id", ids);
    const auto round = body.integer("round_id", ids);
    const auto stock = body.integer("stock", {0, sale::stock_max});
    const auto limit = body.optional_integer("limit", {1, sale::limit_max});
    if (const auto fault = body.finish()) return check_fault(*fault);
    require(product >= 1 && round >= 1 && stock >= 0 && stock <= sale::stock_max);
    require_within(limit, {1, sale::limit_max});
}

void read_stock(json_body& body) {
    const auto delta = body.integer("delta", {-sale::stock_max, sale::stock_max});
    const auto note = body.optional_text("note", {.max = 200});
    if (const auto fault = body.finish()) return check_fault(*fault);
    require_within(delta, {-sale::stock_max, sale::stock_max});
    require(!note || note->size() <= 200);
}

void read_account(json_body& body) {
    const std::string nickname = body.text("nickname", {.min = 1, .max = sale::nickname_bytes_max});
    const std::string phone = normalised_phone(body.text("phone", {.min = 1, .max = 40}));
    const std::string password = body.text("password", {.min = 1, .max = sale::password_bytes_max});
    if (const auto fault = body.finish()) return check_fault(*fault);
    (void)guard::fault_in_phone(phone);
    (void)guard::fault_in_password(password, phone);
    // Boost.JSON has refused bad UTF-8 already, and this rule must agree.
    require(guard::fault_in_nickname(nickname) != guard::account_fault::nickname_not_utf8);
}

void read_purchase_body(std::string_view text) {
    request r;
    r.verb = verb::post;
    r.content_type = "application/json";
    r.body = text;
    sale::attempt a{.sale = {1}, .buyer = {1}};
    if (const auto fault = read_purchase(r, a)) {
        require(refuse_purchase(*fault, language::zh).status == 400);
        return;
    }
    require(a.quantity >= 1 && a.quantity <= sale::limit_max);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 1) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    (void)repeated_key(text, 8);
    (void)parse_iso(text);
    json_body body(text);
    switch (data[0] % 6) {
    case 0: read_product(body); break;
    case 1: read_round(body); break;
    case 2: read_sale(body); break;
    case 3: read_stock(body); break;
    case 4: read_account(body); break;
    default: read_purchase_body(text); break;
    }
    return 0;
}
