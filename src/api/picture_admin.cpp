#include <fmt/format.h>

#include "api/admin_desk.hpp"
#include "api/failure.hpp"
#include "api/picture_api.hpp"
#include "base/hex.hpp"
#include "guard/tokens.hpp"

namespace floodgate::api {
namespace {

reply refused(const call& c, problem p, std::string detail) {
    return problem_reply(p, c.language, {{"detail", std::move(detail)}});
}

std::optional<reply> fault_of(const call& c, const picture_options& o,
                              const std::optional<picture_header>& header) {
    if (c.body.size() > o.bytes_max)
        return refused(c, problem::payload_too_large,
                       fmt::format("a picture may have {} bytes", o.bytes_max));
    if (!header)
        return refused(c, problem::invalid, "the body must be a PNG, JPEG or WebP picture");
    if (header->width > o.side_max || header->height > o.side_max)
        return refused(c, problem::invalid,
                       fmt::format("a picture may be {0} x {0} pixels large", o.side_max));
    return std::nullopt;
}

}  // namespace

reply add_picture(services& with, const call& c) {
    const auto header = read_picture_header(c.body);
    if (auto fault = fault_of(c, with.pictures.options(), header)) return *std::move(fault);
    const auto hash = guard::hash_of(c.body);
    const ledger::picture p{.hash = to_hex(std::as_bytes(std::span(hash))),
                            .kind = to_text(header->kind),
                            .width = header->width,
                            .height = header->height,
                            .added_by = c.user,
                            .added_at = c.now,
                            .content = c.body};
    const boost::json::object shown{{"address", address_of(p.hash, header->kind)},
                                    {"width", p.width},
                                    {"height", p.height},
                                    {"bytes", p.content.size()}};
    const auto added = with.ledger.pictures().add(
        p, line_for(c, {"picture.added", "picture " + p.hash, {}, shown}));
    if (!added) return failure_reply(added.error(), c.language);
    return *added ? created(address_of(p.hash, header->kind), shown) : json_reply(200, shown);
}

reply get_picture(services& with, const call& c) {
    const auto name = parse_picture_name(c.name);
    if (!name) return problem_reply(problem::not_found, c.language);
    auto found = with.ledger.pictures().find(name->hash);
    if (!found) return failure_reply(found.error(), c.language);
    if (found->kind != to_text(name->kind)) return problem_reply(problem::not_found, c.language);
    auto content = std::make_shared<const std::string>(std::move(found->content));
    with.pictures.keep(*name, content);
    return show_picture(*name, std::move(content), c.if_none_match);
}

}  // namespace floodgate::api
