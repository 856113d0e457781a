#include "ledger/ledger_fixture.hpp"

namespace floodgate::ledger {
namespace {

using sale::sale_state;
using testing::ElementsAre;
using testing::IsEmpty;

class CatalogueContractTest : public LedgerContractTest {
protected:
    catalogue_book& catalogue_ = book_.catalogue();

    sale::sale only_sale() { return catalogue_.sales().value().at(0); }
    static sale::round window(int from_h, int to_h) {
        return {{}, "a round", noon + std::chrono::hours(from_h), noon + std::chrono::hours(to_h)};
    }
};
INSTANTIATE_TEST_SUITE_P(Over, CatalogueContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(CatalogueContractTest, AnEmptyBookHasNothing) {
    EXPECT_THAT(catalogue_.products().value(), IsEmpty());
    EXPECT_THAT(catalogue_.rounds().value(), IsEmpty());
    EXPECT_THAT(catalogue_.sales().value(), IsEmpty());
    EXPECT_THAT(catalogue_.figures().value(), IsEmpty());
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(CatalogueContractTest, ProductsComeBackAsTheyWereWithPicturesInOrder) {
    const sale::product phone{{}, "手机 'new'", "Very\nnew", {"/b.jpg", "/a.jpg"}, {299900}};
    const auto plain = catalogue_.add_product({{}, "plain", "", {}, {1}}).value();
    const auto id = catalogue_.add_product(phone).value();
    const auto all = catalogue_.products().value();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].id, plain);
    EXPECT_THAT(all[0].pictures, IsEmpty());
    EXPECT_EQ(all[1].id, id);
    EXPECT_EQ(all[1].title, phone.title);
    EXPECT_EQ(all[1].description, phone.description);
    EXPECT_THAT(all[1].pictures, ElementsAre("/b.jpg", "/a.jpg"));
    EXPECT_EQ(all[1].list_price, phone.list_price);
}

TEST_P(CatalogueContractTest, AProductIsReplacedWithItsPictures) {
    const auto id = catalogue_.add_product({{}, "old", "old", {"/1", "/2", "/3"}, {1}}).value();
    EXPECT_EQ(outcome(catalogue_.update_product({id, "new", "better", {"/4"}, {2}})), fine);
    const auto p = catalogue_.products().value().at(0);
    EXPECT_EQ(p.title, "new");
    EXPECT_EQ(p.list_price, sale::fen{2});
    EXPECT_THAT(p.pictures, ElementsAre("/4"));
    EXPECT_EQ(outcome(catalogue_.update_product({{99}, "x", "", {}, {}})), errc::not_found);
}

TEST_P(CatalogueContractTest, ARoundEndsAfterItStarts) {
    EXPECT_EQ(outcome(catalogue_.add_round(window(2, 1))), errc::invalid);
    EXPECT_EQ(outcome(catalogue_.add_round(window(1, 1))), errc::invalid);
    auto r = window(1, 2);
    r.id = catalogue_.add_round(r).value();
    r.ends_at = r.starts_at;
    EXPECT_EQ(outcome(catalogue_.update_round(r)), errc::invalid);
    r = window(1, 3);
    r.id = {99};
    EXPECT_EQ(outcome(catalogue_.update_round(r)), errc::not_found);
    EXPECT_EQ(catalogue_.rounds().value().at(0).ends_at, noon + std::chrono::hours(2));
}

TEST_P(CatalogueContractTest, SalesFollowTheirRound) {
    verbs_.add_sale();
    auto r = catalogue_.rounds().value().at(0);
    r.title = "later";
    r.starts_at += std::chrono::hours(5);
    r.ends_at += std::chrono::hours(6);
    EXPECT_EQ(outcome(catalogue_.update_round(r)), fine);
    EXPECT_EQ(only_sale().starts_at, r.starts_at);
    EXPECT_EQ(only_sale().ends_at, r.ends_at);
    EXPECT_EQ(catalogue_.rounds().value().at(0).title, "later");
}

TEST_P(CatalogueContractTest, ASaleComesBackAsItWasAndStartsItsLog) {
    const auto id = verbs_.add_sale({.stock = 12, .limit = 3});
    const auto s = only_sale();
    EXPECT_EQ(s.id, id);
    EXPECT_EQ(s.price, sale::fen{9900});
    EXPECT_EQ(s.price_points, sale::points{50});
    EXPECT_EQ(s.stock, 12);
    EXPECT_EQ(s.limit, 3U);
    EXPECT_EQ(s.pay_within_s, 600U);
    EXPECT_TRUE(s.resell_refunded);
    EXPECT_EQ(s.earns_points, sale::points{0});
    EXPECT_EQ(s.state, sale_state::published);
    EXPECT_EQ(s.starts_at, noon);

    const auto log = catalogue_.stock_log(id, 10).value();
    ASSERT_EQ(log.size(), 1U);
    EXPECT_EQ(log[0].kind, "created");
    EXPECT_EQ(log[0].stock_before, 0);
    EXPECT_EQ(log[0].stock_after, 12);
    EXPECT_EQ(log[0].at, noon);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(CatalogueContractTest, ASaleNeedsItsProductAndRoundAndIsThereOnce) {
    verbs_.add_sale();
    const auto s = only_sale();
    EXPECT_EQ(outcome(catalogue_.add_sale(s, noon)), errc::already_exists);
    auto other = s;
    other.product = {99};
    EXPECT_EQ(outcome(catalogue_.add_sale(other, noon)), errc::not_found);
    other = s;
    other.round = {99};
    EXPECT_EQ(outcome(catalogue_.add_sale(other, noon)), errc::not_found);
    EXPECT_EQ(verbs_.number("SELECT COUNT(*) FROM stock_log"), 1);
}

TEST_P(CatalogueContractTest, SenselessTermsAreInvalid) {
    verbs_.add_sale();
    const auto refuse = [&](auto change) {
        auto s = only_sale();
        change(s);
        EXPECT_EQ(outcome(catalogue_.add_sale(s, noon)), errc::invalid);
    };
    refuse([](sale::sale& s) { s.stock = -1; });
    refuse([](sale::sale& s) { s.stock = sale::stock_max + 1; });
    refuse([](sale::sale& s) { s.limit = 0; });
    refuse([](sale::sale& s) { s.limit = sale::limit_max + 1; });
    refuse([](sale::sale& s) { s.price = {-1}; });
    refuse([](sale::sale& s) { s.price_points = {sale::points_max + 1}; });
    refuse([](sale::sale& s) { s.earns_points = {-1}; });
    refuse([](sale::sale& s) { s.earns_points = {sale::points_max + 1}; });
    refuse([](sale::sale& s) { s.pay_within_s = sale::pay_within_s_max + 1; });
}

TEST_P(CatalogueContractTest, FindsOneOfEachByItsId) {
    verbs_.add_sale({.stock = 5});
    const auto id = verbs_.add_sale({.stock = 6});
    const sale::sale found = catalogue_.find_sale(id).value();
    EXPECT_EQ(found.id, id);
    EXPECT_EQ(found.stock, 6);
    EXPECT_EQ(found.starts_at, noon) << "with the window of its round";
    EXPECT_EQ(catalogue_.find_round(found.round)->id, found.round);
    EXPECT_EQ(catalogue_.find_product(found.product)->id, found.product);
    EXPECT_EQ(outcome(catalogue_.find_sale({99})), errc::not_found);
    EXPECT_EQ(outcome(catalogue_.find_round({99})), errc::not_found);
    EXPECT_EQ(outcome(catalogue_.find_product({99})), errc::not_found);
}

TEST_P(CatalogueContractTest, TermsChangeButNeitherStockNorState) {
    verbs_.add_sale({.stock = 5});
    auto s = only_sale();
    s.price = {1};
    s.price_points = {2};
    s.limit = 3;
    s.pay_within_s = 4;
    s.resell_refunded = false;
    s.earns_points = {6};
    s.stock = 777;
    s.state = sale_state::ended;
    EXPECT_EQ(outcome(catalogue_.update_sale_terms(s)), fine);
    const auto now = only_sale();
    EXPECT_EQ(now.price, sale::fen{1});
    EXPECT_EQ(now.price_points, sale::points{2});
    EXPECT_EQ(now.limit, 3U);
    EXPECT_EQ(now.pay_within_s, 4U);
    EXPECT_FALSE(now.resell_refunded);
    EXPECT_EQ(now.earns_points, sale::points{6});
    EXPECT_EQ(now.stock, 5);
    EXPECT_EQ(now.state, sale_state::published);
    s.id = {99};
    EXPECT_EQ(outcome(catalogue_.update_sale_terms(s)), errc::not_found);
}

TEST_P(CatalogueContractTest, ALimitThatWasHighOnlyInTheDraftGuardsAsTheLowOneItBecame) {
    const auto id = verbs_.add_sale({.stock = 5, .limit = 100});
    verbs_.sql("UPDATE sales SET state = 'draft'");
    auto s = only_sale();
    s.limit = 1;
    ASSERT_EQ(outcome(catalogue_.update_sale_terms(s)), fine);
    const auto report = verbs_.enter({verbs_.promise(id, 1), verbs_.promise(id, 1)});
    EXPECT_EQ(report.refused, 1U);
}

TEST_P(CatalogueContractTest, StatesMoveAsTheTableSays) {
    using enum sale_state;
    const auto id = verbs_.add_sale();
    const std::vector<sale_state> states{draft, published, paused, ended};
    const std::vector<std::vector<bool>> allowed{
        // to draft, published, paused, ended
        {true, true, false, true},    // from draft
        {false, true, true, true},    // published
        {false, true, true, true},    // paused
        {false, false, false, true},  // ended
    };
    for (std::size_t from = 0; from < states.size(); ++from) {
        for (std::size_t to = 0; to < states.size(); ++to) {
            verbs_.sql("UPDATE sales SET state = '" + std::string(to_text(states[from])) + "'");
            const auto got = outcome(catalogue_.set_sale_state(id, states[to]));
            EXPECT_EQ(got, allowed[from][to] ? fine : make_error_code(errc::conflict))
                << to_text(states[from]) << " -> " << to_text(states[to]);
            EXPECT_EQ(only_sale().state, allowed[from][to] ? states[to] : states[from]);
        }
    }
    EXPECT_EQ(outcome(catalogue_.set_sale_state({99}, paused)), errc::not_found);
}

TEST_P(CatalogueContractTest, StockIsAddedAndRemovedWithItsLogLine) {
    const auto id = verbs_.add_sale({.stock = 10});
    verbs_.enter({verbs_.promise(id, 1), verbs_.promise(id, 2)});
    EXPECT_EQ(catalogue_.change_stock(id, 5, "found some", noon).value(), 15);
    EXPECT_EQ(catalogue_.change_stock(id, -13, "broken", noon).value(), 2);
    EXPECT_EQ(catalogue_.change_stock(id, 0, "nothing", noon).value(), 2);
    const auto log = catalogue_.stock_log(id, 2).value();
    ASSERT_EQ(log.size(), 2U);
    EXPECT_EQ(log[0].kind, "removed");
    EXPECT_EQ(log[0].stock_before, 15);
    EXPECT_EQ(log[0].stock_after, 2);
    EXPECT_EQ(log[0].held_before, 2);
    EXPECT_EQ(log[0].held_after, 2);
    EXPECT_EQ(log[0].note, "broken");
    EXPECT_EQ(log[1].kind, "added");
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(CatalogueContractTest, HeldStockCannotBeRemovedNorTheMaximumPassed) {
    const auto id = verbs_.add_sale({.stock = 10});
    verbs_.enter({verbs_.promise(id, 1), verbs_.promise(id, 2)});
    EXPECT_EQ(outcome(catalogue_.change_stock(id, -9, "", noon)), errc::conflict);
    EXPECT_EQ(outcome(catalogue_.change_stock(id, INT64_MIN, "", noon)), errc::conflict);
    EXPECT_EQ(outcome(catalogue_.change_stock(id, sale::stock_max - 9, "", noon)), errc::invalid);
    EXPECT_EQ(outcome(catalogue_.change_stock(id, INT64_MAX, "", noon)), errc::invalid);
    EXPECT_EQ(outcome(catalogue_.change_stock({99}, 1, "", noon)), errc::not_found);
    EXPECT_EQ(only_sale().stock, 10);
    EXPECT_EQ(catalogue_.change_stock(id, -8, "", noon).value(), 2);
    EXPECT_EQ(catalogue_.change_stock(id, sale::stock_max - 2, "", noon).value(), sale::stock_max);
}

TEST_P(CatalogueContractTest, FiguresTellStockAndHeldOfEverySale) {
    const auto a = verbs_.add_sale({.stock = 1}), b = verbs_.add_sale({.stock = 2});
    verbs_.enter({verbs_.promise(b, 1)});
    const auto all = catalogue_.figures().value();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].sale, a);
    EXPECT_EQ(all[0].held, 0);
    EXPECT_EQ(all[1].stock, 2);
    EXPECT_EQ(all[1].held, 1);
    EXPECT_EQ(catalogue_.find_figures(b).value().held, 1);
    EXPECT_EQ(catalogue_.find_figures(a).value().stock, 1);
    EXPECT_EQ(outcome(catalogue_.find_figures({99})), errc::not_found);
}

TEST_P(CatalogueContractTest, PagesGoFromTheNewestDown) {
    const auto ids = [](const auto& page) {
        std::vector<std::int64_t> out;
        for (const auto& item : page) out.push_back(item.id.value);
        return out;
    };
    for (int i = 0; i < 4; ++i) verbs_.add_sale();
    const auto sales = ids(catalogue_.sales().value());
    ASSERT_EQ(sales.size(), 4U);
    EXPECT_THAT(ids(catalogue_.sales({}, 3).value()), ElementsAre(sales[3], sales[2], sales[1]));
    EXPECT_THAT(ids(catalogue_.sales({sales[1]}, 3).value()), ElementsAre(sales[0]));
    EXPECT_THAT(catalogue_.sales({sales[0]}, 3).value(), IsEmpty());

    const auto rounds = ids(catalogue_.rounds().value());
    ASSERT_EQ(rounds.size(), 4U);
    EXPECT_THAT(ids(catalogue_.rounds({}, 2).value()), ElementsAre(rounds[3], rounds[2]));
    EXPECT_THAT(ids(catalogue_.rounds({rounds[2]}, 9).value()), ElementsAre(rounds[1], rounds[0]));
    EXPECT_EQ(catalogue_.find_round({rounds[1]}).value().id.value, rounds[1]);
    EXPECT_EQ(outcome(catalogue_.find_round({99})), errc::not_found);
}

TEST_P(CatalogueContractTest, APageOfProductsHasTheirPictures) {
    std::vector<sale::product_id> ids;
    for (const char* picture : {"/a", "/b", "/c"})
        ids.push_back(catalogue_.add_product({{}, "p", "", {picture, "/same"}, {1}}).value());
    const auto page = catalogue_.products({ids[2]}, 2).value();
    ASSERT_EQ(page.size(), 2U);
    EXPECT_EQ(page[0].id, ids[1]);
    EXPECT_THAT(page[0].pictures, ElementsAre("/b", "/same"));
    EXPECT_THAT(page[1].pictures, ElementsAre("/a", "/same"));
    EXPECT_THAT(catalogue_.find_product(ids[2]).value().pictures, ElementsAre("/c", "/same"));
    EXPECT_EQ(outcome(catalogue_.find_product({99})), errc::not_found);
}

}  // namespace
}  // namespace floodgate::ledger
