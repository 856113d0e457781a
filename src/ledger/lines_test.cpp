// Several lines of promises in one book: positions, epochs, and promises that lost their line.

#include <thread>

#include "ledger/ledger_fixture.hpp"
#include "sale/partition.hpp"

namespace floodgate::ledger {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

class LinesContractTest : public LedgerContractTest {
protected:
    order_book& orders_ = book_.orders();
    const sale::line_id line_ = sale::line_of({3}), other_ = sale::line_of({4});
};
INSTANTIATE_TEST_SUITE_P(Over, LinesContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(LinesContractTest, EveryLineHasAPositionOfItsOwn) {
    const auto sale = verbs_.add_sale();
    EXPECT_EQ(orders_.position(line_).value(), sale::sequence{0}) << "nobody has used it";
    const std::vector first{verbs_.promise(sale, 1)}, second{verbs_.promise(sale, 2)};
    EXPECT_EQ(orders_.enter(first, {sale::sequence{7}, line_}).value().entered, 1U);
    EXPECT_EQ(orders_.enter(second, {sale::sequence{7}, other_}).value().entered, 1U);
    EXPECT_EQ(orders_.enter(first, {sale::sequence{7}, line_}).value().known, 1U);
    EXPECT_THAT(orders_.positions().value(),
                ElementsAre(Pair(sale::journal_line, sale::sequence{0}),
                            Pair(line_, sale::sequence{7}), Pair(other_, sale::sequence{7})));
    const auto tally = book_.tallies().take().value();
    EXPECT_EQ(tally.positions, orders_.positions().value());
    EXPECT_EQ(tally.position(line_), sale::sequence{7});
    EXPECT_EQ(tally.position(sale::line_of({9})), sale::sequence{0});
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(LinesContractTest, WhatIsPutAsideMovesItsOwnLine) {
    const auto p = verbs_.promise(verbs_.add_sale(), 1);
    const setback why{.cause = "poison", .next_try = noon, .now = noon};
    EXPECT_EQ(outcome(book_.letters().put_aside(p, {sale::sequence{5}, line_}, why)), fine);
    EXPECT_EQ(outcome(book_.letters().put_aside(p, {sale::sequence{5}, line_}, why)), fine);
    EXPECT_EQ(orders_.position(line_).value(), sale::sequence{5});
    EXPECT_EQ(orders_.position().value(), sale::sequence{0});
    EXPECT_EQ(book_.letters().count().value().waiting, 1);
}

TEST_P(LinesContractTest, ANewEpochIsPastAllThatTheOldOneMayStillBring) {
    const auto sale = verbs_.add_sale();
    EXPECT_EQ(orders_.raise_epoch(line_).value(), 1U);
    const auto at = sale::to_sequence({1, 20});
    EXPECT_EQ(orders_.enter(std::vector{verbs_.promise(sale, 1)}, {at, line_}).value().entered, 1U);
    EXPECT_EQ(orders_.raise_epoch(line_).value(), 2U);
    EXPECT_EQ(orders_.position(line_).value(), sale::to_sequence({2, 0}));
    const auto late = sale::to_sequence({1, 21});
    EXPECT_EQ(orders_.enter(std::vector{verbs_.promise(sale, 2)}, {late, line_}).value().known, 1U);
    EXPECT_EQ(verbs_.held(sale), 1);
    EXPECT_EQ(orders_.raise_epoch(other_).value(), 1U);
}

TEST_P(LinesContractTest, EpochsRaisedAtTheSameTimeDiffer) {
    constexpr std::size_t each = 15;
    std::vector<std::uint64_t> got(4 * each);
    {
        std::vector<std::jthread> nodes;
        for (std::size_t i = 0; i < got.size(); i += each)
            nodes.emplace_back([&, i] {
                for (std::size_t k = i; k < i + each; ++k)
                    got[k] = orders_.raise_epoch(line_).value();
            });
    }
    std::ranges::sort(got);
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], i + 1);
}

TEST_P(LinesContractTest, StraysAreEnteredByTheirNumbersAlone) {
    const auto sale = verbs_.add_sale({.stock = 3});
    const auto known = verbs_.promise(sale, 1), aside = verbs_.promise(sale, 2);
    verbs_.enter({known});
    verbs_.put_aside(aside);
    const auto position = orders_.position().value();
    const std::vector strays{known,
                             aside,
                             verbs_.promise(sale, 3),
                             verbs_.promise(sale, 3),
                             verbs_.promise(sale, 4),
                             verbs_.promise(sale, 5)};
    const auto report = orders_.enter_strays(strays, noon).value();
    EXPECT_EQ(report.known, 2U);
    EXPECT_EQ(report.entered, 2U);
    ASSERT_EQ(report.refused, 2U);
    EXPECT_EQ(verbs_.state(strays[3]), "failed limit_reached");
    EXPECT_EQ(verbs_.state(strays[5]), "failed no_stock");
    EXPECT_EQ(verbs_.state(aside), "absent");
    EXPECT_EQ(report.orders.size(), 4U) << "those that are new";
    EXPECT_EQ(orders_.position().value(), position);
    EXPECT_EQ(verbs_.held(sale), 3);
    EXPECT_EQ(orders_.enter_strays(strays, noon).value().known, strays.size());
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(LinesContractTest, ManyStraysOfWhichEveryThirdIsKnown) {
    const auto sale = verbs_.add_sale({.stock = 1000});
    std::vector<sale::promise> all, known;
    for (std::int64_t buyer = 1; buyer <= 500; ++buyer) {
        all.push_back(verbs_.promise(sale, buyer));
        if (buyer % 3 == 0) known.push_back(all.back());
    }
    verbs_.enter(known);
    const auto report = orders_.enter_strays(all, noon).value();
    EXPECT_EQ(report.known, known.size());
    EXPECT_EQ(report.entered, all.size() - known.size());
    EXPECT_EQ(outcome(orders_.enter_strays({}, noon)), fine);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(LinesContractTest, SpentKeysOfOneSaleAreThatSalesOnly) {
    const auto mine = verbs_.add_sale(), other = verbs_.add_sale();
    std::vector<sale::promise> batch{verbs_.promise(mine, 1), verbs_.promise(other, 1)};
    for (auto& p : batch) p.key.fill(std::byte{7});
    verbs_.enter(batch);
    verbs_.close(batch[0].order);
    verbs_.close(batch[1].order);
    std::vector<std::uint64_t> seen;
    const auto note = [&](const held_order& o) { seen.push_back(o.no.value); };
    EXPECT_EQ(outcome(orders_.for_each_spent_key(mine, note)), fine);
    EXPECT_THAT(seen, ElementsAre(batch[0].order.value));
}

TEST_P(LinesContractTest, ASalesRevisionGrowsWithEveryChangeOfIt) {
    auto& catalogue = book_.catalogue();
    const auto id = verbs_.add_sale(), untouched = verbs_.add_sale();
    const auto revision = [&](sale::sale_id of) {
        for (const auto& s : catalogue.sales().value())
            if (s.id == of) return s.revision;
        return std::int64_t{-1};
    };
    std::int64_t before = revision(id);
    EXPECT_GT(before, 0);
    const auto first = revision(untouched);
    const auto grew = [&] { return revision(id) == ++before; };
    sale::sale s = catalogue.sales().value().at(0);
    EXPECT_EQ(outcome(catalogue.update_sale_terms(s)), fine);
    EXPECT_TRUE(grew()) << "terms";
    EXPECT_EQ(outcome(catalogue.set_sale_state(id, sale::sale_state::paused)), fine);
    EXPECT_TRUE(grew()) << "state";
    EXPECT_EQ(outcome(catalogue.change_stock(id, 1, "", noon)), fine);
    EXPECT_TRUE(grew()) << "stock";
    sale::round r = catalogue.rounds().value().at(0);
    r.ends_at += milliseconds(1);
    EXPECT_EQ(outcome(catalogue.update_round(r)), fine);
    EXPECT_TRUE(grew()) << "window";
    r.title = "another";
    EXPECT_EQ(outcome(catalogue.update_round(r)), fine);
    EXPECT_EQ(revision(id), before) << "its title is not the sale's";
    EXPECT_EQ(revision(untouched), first);
}

}  // namespace
}  // namespace floodgate::ledger
