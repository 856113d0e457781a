#include "api/shop_page.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <fmt/format.h>

#include "api/fnv.hpp"

namespace floodgate::api {

page shop_page(const pay::channels& channels, const shop_facts& facts) {
    boost::json::array methods;
    for (const auto& c : channels.all()) methods.emplace_back(c->method());
    std::string body = boost::json::serialize(
        boost::json::object{{"methods", std::move(methods)},
                            {"refund_within_s", facts.refund_within.count() / 1000},
                            {"cool_down_s", facts.cool_down.count() / 1000}});
    std::string etag = fmt::format("\"{:016x}\"", fnv1a(body));
    return {std::make_shared<const std::string>(std::move(body)), std::move(etag)};
}

}  // namespace floodgate::api
