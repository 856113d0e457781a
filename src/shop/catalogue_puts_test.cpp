#include <gmock/gmock.h>

#include "shop/desk_fixture.hpp"

namespace floodgate::shop {
namespace {

using enum ledger::put_outcome;
using testing::ElementsAre;
using testing::IsEmpty;

class CataloguePutsTest : public DeskTest {
protected:
    static sale::product_line product(const std::string& id) {
        sale::product_line l{.external_id = id};
        l.change.title = "kettle " + id;
        l.change.list_price = sale::fen{100};
        return l;
    }
    static sale::sale_line sale_of(const std::string& id, std::int64_t stock) {
        sale::sale_line l{.external_id = id};
        l.product = "p";
        l.described_round = sale::round{
            {}, "ten", ledger::noon - std::chrono::hours(1), ledger::noon + std::chrono::hours(1)};
        l.terms.price = sale::fen{90};
        l.stock = stock;
        l.publish = true;
        return l;
    }
    ledger::put_result put(const sale::sale_line& l) {
        return desk_.put_sales({&l, 1}, admin_).value().at(0);
    }
    sale::sale_id published(std::int64_t stock) {
        const auto p = product("p");
        EXPECT_TRUE(desk_.put_products({&p, 1}, admin_).has_value());
        const auto r = put(sale_of("s", stock));
        EXPECT_EQ(r.what, created);
        return {r.id};
    }
};

TEST_F(CataloguePutsTest, ALineMayPublishItsSale) {
    const auto id = published(3);
    EXPECT_EQ(in_book(id), sale::sale_state::published);
    EXPECT_EQ(buy(id, 1), sale::answer::accepted);
    EXPECT_EQ(put(sale_of("s", 3)).what, unchanged) << "sent again";
    EXPECT_THAT(actions(),
                ElementsAre("sale.published", "sale.created", "round.created", "product.created"));
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_F(CataloguePutsTest, TheGateFollowsTheStockOfAPublishedSale) {
    const auto id = published(1);
    EXPECT_EQ(buy(id, 1), sale::answer::accepted);
    EXPECT_EQ(buy(id, 2), sale::answer::sold_out);
    EXPECT_EQ(put(sale_of("s", 2)).what, updated);
    EXPECT_EQ(buy(id, 2), sale::answer::accepted);
}

TEST_F(CataloguePutsTest, UnitsThatArePromisedCannotBeRemoved) {
    const auto id = published(2);
    EXPECT_EQ(buy(id, 1), sale::answer::accepted);
    const auto r = put(sale_of("s", 0));
    EXPECT_EQ(r.what, refused);
    EXPECT_EQ(r.why, errc::conflict);
    EXPECT_EQ(r.field, "stock");
    EXPECT_EQ(book_.catalogue().find_sale(id)->stock, 2);
    EXPECT_EQ(put(sale_of("s", 1)).what, updated);
}

TEST_F(CataloguePutsTest, ALimitOfAPublishedSaleIsNotLowered) {
    auto line = sale_of("s", 2);
    const auto p = product("p");
    ASSERT_TRUE(desk_.put_products({&p, 1}, admin_).has_value());
    line.terms.limit = 2;
    put(line);
    line.terms.limit = 1;
    EXPECT_EQ(put(line).field, "limit");
    line.terms.limit = 3;
    EXPECT_EQ(put(line).what, updated);
}

TEST_F(CataloguePutsTest, PagesAreToldOncePerBatch) {
    const std::vector lines{product("a"), product("b"), product("c")};
    node_.catalogue_changes = 0;
    ASSERT_TRUE(desk_.put_products(lines, admin_).has_value());
    EXPECT_EQ(node_.catalogue_changes, 1);
    ASSERT_TRUE(desk_.put_products(lines, admin_).has_value());
    EXPECT_EQ(node_.catalogue_changes, 1) << "nothing changed";
}

}  // namespace
}  // namespace floodgate::shop
