#include "shop/audit_trail.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <gtest/gtest.h>

#include "sale/catalogue.hpp"
#include "shop/catalogue_json.hpp"

namespace floodgate::shop {
namespace {

boost::json::object details_of(const act& done) {
    return boost::json::parse(line_for({.who = {7}}, done).details).as_object();
}

TEST(AuditTrailTest, ALineHasWhatChangedAndTheId) {
    const sale::product old{.id = {3}, .title = "Kettle", .list_price = {100}};
    sale::product now = old;
    now.title = "Teapot";
    EXPECT_EQ(
        boost::json::serialize(details_of({"product.changed", "", to_json(old), to_json(now)})),
        R"({"before":{"id":3,"title":"Kettle"},"after":{"id":3,"title":"Teapot"}})");
    const auto made = details_of({"product.created", "", {}, to_json(now)});
    EXPECT_EQ(made.at("after").as_object(), to_json(now)) << "of a new one, everything";
}

TEST(AuditTrailTest, ALongTextIsGivenByItsBeginningLengthAndHash) {
    const std::string text = std::string(99, 'x') + "\u58f6" + std::string(500, 'y');
    const auto kept = details_of({"x", "", {}, {{"text", text}}}).at("after").at("text");
    EXPECT_EQ(kept.at("begins").as_string(), std::string(99, 'x')) << "no half character";
    EXPECT_EQ(kept.at("bytes").as_int64(), 602);
    EXPECT_EQ(kept.at("blake2b").as_string().size(), 64U);
    const auto other = details_of({"x", "", {}, {{"text", text + "."}}}).at("after").at("text");
    EXPECT_NE(kept.at("blake2b"), other.at("blake2b"));
    const std::string longest(500, 'x');
    EXPECT_EQ(details_of({"x", "", {}, {{"text", longest}}}).at("after").at("text").as_string(),
              longest);
}

TEST(AuditTrailTest, ALongListIsCutAndSaysSo) {
    boost::json::array done(60, "sale 1: order 7 gave its unit back");
    const auto kept = details_of({"sale.repaired", "", {}, {{"done", done}}});
    const auto& list = kept.at("after").at("done").as_array();
    ASSERT_EQ(list.size(), 51U);
    EXPECT_EQ(list.back().as_string(), "and 10 more");
}

// M10 of the security review: the act fails with its line, and MariaDB refuses a longer one.
TEST(AuditTrailTest, TheLargestChangeFitsItsColumn) {
    constexpr std::size_t column_bytes = 65'535;
    const auto largest = [](char letter) {
        // Two bytes each as JSON: the most that the API lets through.
        return sale::product{
            .id = {INT64_MAX},
            .title = std::string(sale::title_bytes_max, '"'),
            .description = std::string(sale::description_bytes_max, '\n') + letter,
            .pictures = std::vector<std::string>(
                sale::pictures_max, std::string(sale::picture_bytes_max - 1, '"') + letter),
            .list_price = {sale::price_fen_max}};
    };
    const act done{"product.changed", "", to_json(largest('a')), to_json(largest('b'))};
    EXPECT_LT(line_for({.who = {7}}, done).details.size(), column_bytes);
}

}  // namespace
}  // namespace floodgate::shop
