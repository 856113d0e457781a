// Staff's handlers for the live view, the health of the nodes, and the configuration in force.

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include "api/operations_api.hpp"
#include "api/query.hpp"

namespace floodgate::api {
namespace {

constexpr bounds seconds_shown{1, live_view::kept_max};
constexpr bounds steps{1, 60};

}  // namespace

reply get_live(services& with, const call& c) {
    const auto seconds = query_number(c, "seconds", seconds_shown, 60);
    if (!seconds) return bad_query(c, "seconds", seconds_shown);
    const auto step = query_number(c, "step", steps, 1);
    if (!step) return bad_query(c, "step", steps);
    return {
        .body = with.live.page(static_cast<std::size_t>(*seconds), static_cast<std::size_t>(*step)),
        .headers = "Cache-Control: no-store\r\n"};
}

reply get_health(services& with, const call& c) {
    // /readyz itself may answer 503; here the page was asked for and is there.
    boost::json::object page =
        boost::json::parse(content_of(with.operators.readyz(c.now))).as_object();
    page["nodes"] = boost::json::parse(with.live.nodes());
    return json_reply(200, page);
}

reply get_configuration(services& with, const call&) {
    boost::json::array options;
    if (with.configuration)
        for (const config_entry& e : *with.configuration) {
            boost::json::object one{{"key", e.key}, {"from", e.from}, {"secret", e.secret}};
            if (!e.secret) {
                one["value"] = e.value;
                one["default"] = e.standard;
            }
            options.push_back(std::move(one));
        }
    return json_reply(200, {{"options", std::move(options)}});
}

}  // namespace floodgate::api
