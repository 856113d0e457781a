#include "api/catalogue_fields.hpp"

namespace floodgate::api {
namespace {

constexpr text_rule title_rule{.min = 1, .max = sale::title_bytes_max, .name = true};
constexpr text_rule id_rule{.min = 1, .max = sale::external_id_bytes_max, .visible = true};

// "round": "R1", or "round": {"title": ..., "starts_at": ..., "ends_at": ..., "external_id"?: ...}
void read_round_of(json_body& body, sale::sale_line& line, std::optional<body_fault>& inner) {
    if (body.is_text("round")) {
        line.round = body.optional_text("round", id_rule);
        return;
    }
    const auto object = body.optional_object("round");
    if (!object) return;
    json_body described(*object);
    described.require({"title", "starts_at", "ends_at"});
    const sale::round_change r = read_round(described);
    inner = described.finish();
    if (inner) inner->field = inner->field.empty() ? "round" : "round." + inner->field;
    line.described_round = r.applied_to({});
}

}  // namespace

sale::product_change read_product(json_body& body) {
    constexpr text_rule description{.max = sale::description_bytes_max, .lines = true};
    constexpr list_rule pictures{
        .count_max = sale::pictures_max,
        .each = {.min = 1, .max = sale::picture_bytes_max, .picture = true}};
    sale::product_change p{.title = body.optional_text("title", title_rule),
                           .description = body.optional_text("description", description),
                           .pictures = body.optional_texts("pictures", pictures),
                           .list_price = {},
                           .external_id = body.optional_external_id(),
                           .metadata = body.optional_metadata("metadata")};
    if (const auto fen = body.optional_integer("list_price_fen", {0, sale::price_fen_max}))
        p.list_price = sale::fen{*fen};
    return p;
}

sale::round_change read_round(json_body& body) {
    return {.title = body.optional_text("title", title_rule),
            .starts_at = body.optional_time("starts_at"),
            .ends_at = body.optional_time("ends_at"),
            .external_id = body.optional_external_id()};
}

sale::terms_change read_terms(json_body& body) {
    sale::terms_change t;
    if (const auto fen = body.optional_integer("price_fen", {0, sale::price_fen_max}))
        t.price = sale::fen{*fen};
    if (const auto points = body.optional_integer("price_points", {0, sale::points_max}))
        t.price_points = sale::points{*points};
    if (const auto limit = body.optional_integer("limit", {1, sale::limit_max}))
        t.limit = static_cast<std::uint32_t>(*limit);
    if (const auto seconds = body.optional_integer("pay_within_s", {1, sale::pay_within_s_max}))
        t.pay_within_s = static_cast<std::uint32_t>(*seconds);
    t.resell_refunded = body.optional_boolean("resell_refunded");
    if (const auto points = body.optional_integer("earns_points", {0, sale::points_max}))
        t.earns_points = sale::points{*points};
    t.external_id = body.optional_external_id();
    t.metadata = body.optional_metadata("metadata");
    return t;
}

std::optional<sale::product_line> read_product_line(std::string_view text, body_fault& fault) {
    json_body body(text);
    body.require({"external_id"});
    sale::product_line line;
    line.change = read_product(body);
    line.external_id = line.change.external_id.value_or("");
    if (const auto found = body.finish()) {
        fault = *found;
        return std::nullopt;
    }
    return line;
}

std::optional<sale::sale_line> read_sale_line(std::string_view text, body_fault& fault) {
    json_body body(text);
    body.require({"external_id"});
    sale::sale_line line;
    std::optional<body_fault> inner;
    line.terms = read_terms(body);
    line.external_id = line.terms.external_id.value_or("");
    line.product = body.optional_text("product", id_rule);
    read_round_of(body, line, inner);
    line.stock = body.optional_integer("stock", {0, sale::stock_max});
    line.publish = body.optional_boolean("publish").value_or(false);
    auto found = body.finish();
    if (!found) found = inner;
    if (found) {
        fault = *found;
        return std::nullopt;
    }
    return line;
}

}  // namespace floodgate::api
