#include "ledger/ledger_fixture.hpp"

namespace floodgate::ledger {
namespace {

using enum put_outcome;
using testing::ElementsAre;
using testing::IsEmpty;

audit_line audited(const char* action) {
    audit_line l;
    l.at = noon;
    l.action = action;
    l.subject = "batch 1";
    l.details = "{}";
    return l;
}

class CatalogueBatchContractTest : public LedgerContractTest {
protected:
    static put_signer signer() {
        return {.product =
                    [](const auto* old, const auto&) {
                        return audited(old ? "product.changed" : "product.created");
                    },
                .round = [](const auto&) { return audited("round.created"); },
                .sale = [](const auto* old,
                           const auto&) { return audited(old ? "sale.changed" : "sale.created"); },
                .stock =
                    [](std::int64_t before, const auto& s) {
                        return audited(s.stock > before ? "stock.added" : "stock.removed");
                    }};
    }
    std::vector<put_result> put(const std::vector<sale::product_line>& lines, bool dry = false) {
        return catalogue_.put_products(lines, {noon, dry}, signer()).value();
    }
    std::vector<put_result> put(const std::vector<sale::sale_line>& lines, bool dry = false) {
        return catalogue_.put_sales(lines, {noon, dry}, signer()).value();
    }
    static std::vector<put_outcome> outcomes(const std::vector<put_result>& all) {
        std::vector<put_outcome> out;
        for (const put_result& r : all) out.push_back(r.what);
        return out;
    }
    static sale::product_line product(const std::string& id, const std::string& title = "kettle") {
        sale::product_line l{.external_id = id};
        l.change.title = title;
        l.change.list_price = sale::fen{100};
        l.change.pictures = std::vector<std::string>{"/a.jpg", "/b.jpg"};
        l.change.metadata = R"({"colour":"red"})";
        return l;
    }
    static sale::sale_line sale_of(const std::string& id, const std::string& product) {
        sale::sale_line l{.external_id = id};
        l.product = product;
        l.described_round = sale::round{{}, "ten", noon, noon + std::chrono::hours(1)};
        l.terms.price = sale::fen{90};
        l.stock = 5;
        return l;
    }
    catalogue_book& catalogue_ = book_.catalogue();
};
INSTANTIATE_TEST_SUITE_P(Over, CatalogueBatchContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(CatalogueBatchContractTest, PuttingTheSameProductsAgainChangesNothing) {
    const std::vector lines{product("a"), product("b")};
    EXPECT_THAT(outcomes(put(lines)), ElementsAre(created, created));
    EXPECT_THAT(outcomes(put(lines)), ElementsAre(unchanged, unchanged));
    EXPECT_EQ(verbs_.number("SELECT COUNT(*) FROM audit"), 2);
    const auto all = catalogue_.products().value();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[1].external_id, "b");
    EXPECT_EQ(all[1].metadata, R"({"colour":"red"})");
    EXPECT_THAT(all[1].pictures, ElementsAre("/a.jpg", "/b.jpg"));
}

TEST_P(CatalogueBatchContractTest, AProductIsChangedByWhatTheLineNames) {
    put({product("a")});
    sale::product_line change{.external_id = "a"};
    change.change.title = "壶";
    EXPECT_THAT(outcomes(put({change})), ElementsAre(updated));
    const auto p = catalogue_.products().value().at(0);
    EXPECT_EQ(p.title, "壶");
    EXPECT_EQ(p.list_price, sale::fen{100}) << "left out: kept";
    EXPECT_EQ(p.pictures.size(), 2U);
}

TEST_P(CatalogueBatchContractTest, ABadLineIsRefusedAlone) {
    const sale::product_line nameless{.external_id = "x"};
    const auto results = put({product("a"), nameless, product("b"), product("a", "again")});
    EXPECT_THAT(outcomes(results), ElementsAre(created, refused, created, updated));
    EXPECT_EQ(results[1].field, "title");
    EXPECT_EQ(catalogue_.products().value().size(), 2U);
}

TEST_P(CatalogueBatchContractTest, ADryRunWritesNothing) {
    EXPECT_THAT(outcomes(put({product("a")}, true)), ElementsAre(created));
    EXPECT_THAT(catalogue_.products().value(), IsEmpty());
    EXPECT_EQ(verbs_.number("SELECT COUNT(*) FROM audit"), 0);
}

TEST_P(CatalogueBatchContractTest, SalesShareTheRoundThatTheyDescribe) {
    put({product("a"), product("b")});
    const std::vector lines{sale_of("s1", "a"), sale_of("s2", "b")};
    EXPECT_THAT(outcomes(put(lines)), ElementsAre(created, created));
    EXPECT_THAT(outcomes(put(lines)), ElementsAre(unchanged, unchanged));
    EXPECT_EQ(catalogue_.rounds().value().size(), 1U);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(CatalogueBatchContractTest, ASaleNeedsAProductAndARoundThatExist) {
    put({product("a")});
    auto by_name = sale_of("s1", "a");
    by_name.described_round.reset();
    by_name.round = "R1";
    sale::sale_line bare{.external_id = "s2"};
    const auto results = put({by_name, sale_of("s3", "nothing"), bare});
    EXPECT_THAT(outcomes(results), ElementsAre(refused, refused, refused));
    EXPECT_EQ(results[0].field, "round");
    EXPECT_EQ(results[1].why, errc::not_found);
    EXPECT_EQ(results[2].field, "product");
    EXPECT_THAT(catalogue_.rounds().value(), IsEmpty()) << "no round without a sale";
}

TEST_P(CatalogueBatchContractTest, TheStockOfADraftIsSetWithItsLogLine) {
    put({product("a")});
    auto line = sale_of("s1", "a");
    put({line});
    line.stock = 2;
    line.terms.price = sale::fen{80};
    line.terms.metadata = R"({"shelf":7})";
    EXPECT_THAT(outcomes(put({line})), ElementsAre(updated));
    const auto s = catalogue_.sales().value().at(0);
    EXPECT_EQ(s.stock, 2);
    EXPECT_EQ(s.price, sale::fen{80});
    EXPECT_EQ(s.metadata, R"({"shelf":7})");
    EXPECT_EQ(catalogue_.stock_log(s.id, 10).value().at(0).kind, "removed");
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(CatalogueBatchContractTest, ASaleOnSaleIsLeftToTheDesk) {
    put({product("a")});
    auto line = sale_of("s1", "a");
    const auto id = put({line}).at(0).id;
    ASSERT_TRUE(catalogue_.set_sale_state({id}, sale::sale_state::published).has_value());
    EXPECT_THAT(outcomes(put({line})), ElementsAre(unchanged));
    line.stock = 9;
    EXPECT_THAT(outcomes(put({line})), ElementsAre(on_sale));
    EXPECT_EQ(catalogue_.sales().value().at(0).stock, 5);
    ASSERT_TRUE(catalogue_.set_sale_state({id}, sale::sale_state::ended).has_value());
    EXPECT_EQ(put({line}).at(0).why, errc::conflict);
}

TEST_P(CatalogueBatchContractTest, ASaleKeepsItsProductAndRound) {
    put({product("a"), product("b")});
    put({sale_of("s1", "a")});
    EXPECT_EQ(put({sale_of("s1", "b")}).at(0).why, errc::conflict);
    EXPECT_EQ(put({sale_of("s2", "a")}).at(0).why, errc::already_exists);
    auto later = sale_of("s1", "a");
    later.described_round->title = "eleven";
    EXPECT_EQ(put({later}).at(0).why, errc::conflict);
    EXPECT_EQ(catalogue_.rounds().value().size(), 1U);
}

TEST_P(CatalogueBatchContractTest, ListsAreFiltered) {
    put({product("a", "Red Kettle"), product("b", "blue_pot 100%"), product("c", "Pan")});
    put({sale_of("s1", "a"), sale_of("s2", "b")});
    const auto titles = [&](const product_filter& f) {
        return catalogue_.products({}, 9, f)->size();
    };
    EXPECT_EQ(titles({.text = "kettle"}), 1U);
    EXPECT_EQ(titles({.text = "%"}), 1U) << "no wildcard";
    EXPECT_EQ(titles({.text = "_"}), 1U);
    EXPECT_EQ(titles({.external_id = "c"}), 1U);
    EXPECT_EQ(titles({.text = "kettle", .external_id = "c"}), 0U);
    const auto sales = [&](const sale_filter& f) { return catalogue_.sales({}, 9, f)->size(); };
    EXPECT_EQ(sales({}), 2U);
    EXPECT_EQ(sales({.external_id = "s2"}), 1U);
    EXPECT_EQ(sales({.state = sale::sale_state::paused}), 0U);
    EXPECT_EQ(sales({.round = {1}, .state = sale::sale_state::draft}), 2U);
    EXPECT_EQ(sales({.product = {1}}), 1U);
    const auto rounds = [&](const round_filter& f) { return catalogue_.rounds({}, 9, f)->size(); };
    EXPECT_EQ(rounds({.open_at = noon}), 1U);
    EXPECT_EQ(rounds({.over_at = noon}), 0U);
    EXPECT_EQ(rounds({.over_at = noon + std::chrono::hours(1)}), 1U);
    EXPECT_EQ(rounds({.from = noon + std::chrono::hours(1)}), 0U);
    EXPECT_EQ(rounds({.to = noon + milliseconds(1)}), 1U);
}

TEST_P(CatalogueBatchContractTest, ExternalIdsAreUniqueWhereTheyAreGiven) {
    sale::product p{{}, "kettle", "", {}, {1}};
    EXPECT_TRUE(catalogue_.add_product(p).has_value());
    EXPECT_TRUE(catalogue_.add_product(p).has_value());
    p.external_id = "a";
    EXPECT_TRUE(catalogue_.add_product(p).has_value());
    EXPECT_EQ(outcome(catalogue_.add_product(p)), errc::already_exists);
}

}  // namespace
}  // namespace floodgate::ledger
