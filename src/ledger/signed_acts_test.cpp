// M10 of the security review: an admin's act and its audit line are written together or not at all,
// and the inspection finds one without the other.

#include "ledger/move_fixture.hpp"

namespace floodgate::ledger {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

audit_line line(const std::string& action, const std::string& subject) {
    return {0, noon, {7}, action, subject, "{}", "192.0.2.7"};
}

class SignedActsContractTest : public LedgerContractTest {
protected:
    std::vector<std::string> actions() {
        std::vector<std::string> out;
        for (const audit_line& l : book_.audit().list(0, 100).value()) out.push_back(l.action);
        return out;
    }
    // From here on no audit line can be written, until it is mended.
    void break_audit_book() { verbs_.sql("ALTER TABLE audit RENAME TO audit_away"); }
    void mend_audit_book() { verbs_.sql("ALTER TABLE audit_away RENAME TO audit"); }

    result<std::int64_t> add_units(std::int64_t units) {
        return book_.catalogue().change_stock(sale_, units, "", noon, [&](const std::int64_t&) {
            return line("stock.added", "sale 1");
        });
    }
    std::int64_t dead_letter(std::int64_t buyer) {
        return verbs_.put_aside(verbs_.promise(sale_, buyer),
                                {.cause = "poison", .permanent = true, .now = noon});
    }

    catalogue_book& catalogue_ = book_.catalogue();
    sale::sale_id sale_ = verbs_.add_sale({.stock = 5});
};
INSTANTIATE_TEST_SUITE_P(Over, SignedActsContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(SignedActsContractTest, EveryActHasItsLine) {
    const auto product = catalogue_.add_product({.title = "Kettle"}, [](const auto& id) {
        return line("product.created", "product " + std::to_string(id.value));
    });
    ASSERT_EQ(outcome(product), fine);
    const auto round = catalogue_.add_round(
        {.title = "Noon", .starts_at = noon, .ends_at = noon + milliseconds(1)},
        [](const auto&) { return line("round.created", "round"); });
    ASSERT_EQ(outcome(round), fine);
    ASSERT_EQ(outcome(catalogue_.add_sale({.product = *product, .round = *round, .stock = 3}, noon,
                                          [](const auto& id) {
                                              return line("sale.created",
                                                          "sale " + std::to_string(id.value));
                                          })),
              fine);
    ASSERT_EQ(outcome(catalogue_.set_sale_state(sale_, sale::sale_state::paused,
                                                line("sale.paused", "sale 1"))),
              fine);
    ASSERT_EQ(outcome(catalogue_.set_sale_state(sale_, sale::sale_state::paused,
                                                line("sale.paused", "sale 1"))),
              fine)
        << "asked for again";
    ASSERT_EQ(outcome(add_units(7)), fine);
    EXPECT_THAT(actions(), ElementsAre("stock.added", "sale.paused", "sale.paused", "sale.created",
                                       "round.created", "product.created"));
    const auto newest = book_.audit().list(0, 1).value().at(0);
    EXPECT_EQ(newest.address, "192.0.2.7");
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(SignedActsContractTest, WithoutItsLineNoActIsDone) {
    const std::int64_t letter = dead_letter(1), other = dead_letter(2);
    const sale::sale before = catalogue_.find_sale(sale_).value();
    sale::sale dearer = before;
    dearer.price = {1};
    const sale::round round = catalogue_.find_round(before.round).value();
    const auto some = [](const auto&) { return line("a.b", "c 1"); };
    break_audit_book();
    EXPECT_NE(outcome(catalogue_.add_product({.title = "Kettle"}, some)), fine);
    EXPECT_NE(outcome(catalogue_.update_product({.id = before.product, .title = "Teapot"},
                                                line("a.b", "c 1"))),
              fine);
    EXPECT_NE(outcome(catalogue_.add_round(round, some)), fine);
    EXPECT_NE(outcome(catalogue_.update_round({.id = round.id,
                                               .title = "Later",
                                               .starts_at = round.starts_at,
                                               .ends_at = round.ends_at},
                                              line("a.b", "c 1"))),
              fine);
    EXPECT_NE(outcome(catalogue_.update_sale_terms(dearer, line("a.b", "c 1"))), fine);
    EXPECT_NE(
        outcome(catalogue_.set_sale_state(sale_, sale::sale_state::ended, line("a.b", "c 1"))),
        fine);
    EXPECT_NE(outcome(add_units(7)), fine);
    EXPECT_NE(outcome(book_.letters().replay(letter, {7}, noon, some)), fine);
    EXPECT_NE(outcome(book_.letters().discard(other, {7}, "no", noon, some)), fine);
    verbs_.sql("UPDATE sales SET held = 1");
    EXPECT_NE(outcome(book_.tallies().repair(sale_, "why", noon, some)), fine);
    EXPECT_EQ(verbs_.held(sale_), 1) << "not repaired";
    verbs_.sql("UPDATE sales SET held = 0");
    mend_audit_book();

    const sale::sale after = catalogue_.find_sale(sale_).value();
    EXPECT_EQ(after.stock, before.stock);
    EXPECT_EQ(after.price, before.price);
    EXPECT_EQ(after.state, before.state);
    EXPECT_EQ(after.revision, before.revision);
    EXPECT_EQ(catalogue_.products().value().size(), 1U);
    EXPECT_NE(catalogue_.find_product(before.product).value().title, "Teapot");
    EXPECT_EQ(catalogue_.rounds().value().size(), 1U);
    EXPECT_EQ(catalogue_.find_round(round.id).value().title, round.title);
    EXPECT_EQ(book_.letters().find(letter).value().state, letter_state::dead);
    EXPECT_EQ(book_.letters().find(other).value().state, letter_state::dead);
    EXPECT_THAT(actions(), IsEmpty());
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(SignedActsContractTest, AnActWhoseLineWasRemovedIsFound) {
    ASSERT_EQ(outcome(add_units(7)), fine);
    ASSERT_EQ(outcome(add_units(1)), fine);
    EXPECT_THAT(verbs_.check(), IsEmpty());
    verbs_.sql("DELETE FROM audit WHERE id = 1");
    EXPECT_THAT(verbs_.check(),
                ElementsAre(HasSubstr("(added) was signed in audit line 1, which is missing")));
}

TEST_P(SignedActsContractTest, ALineWhoseActIsMissingIsFound) {
    ASSERT_EQ(outcome(add_units(7)), fine);
    verbs_.sql(
        "INSERT INTO audit (at_ms, user_id, action, subject, details) VALUES (0, 7, 'stock.added', "
        "'sale 1', '{}')");
    EXPECT_THAT(verbs_.check(), ElementsAre("audit line 2: stock.added of sale 1, but the stock "
                                            "log has no such move"));
}

TEST_P(SignedActsContractTest, LinesFromBeforeMovesNamedTheirsAreLeftAlone) {
    verbs_.sql(
        "INSERT INTO audit (at_ms, user_id, action, subject, details) VALUES (0, 7, 'stock.added', "
        "'sale 1', '{}')");
    EXPECT_THAT(verbs_.check(), IsEmpty());
    ASSERT_EQ(outcome(add_units(7)), fine);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(SignedActsContractTest, ASaleThatWasMovedByHandIsFound) {
    ASSERT_EQ(outcome(catalogue_.set_sale_state(sale_, sale::sale_state::paused,
                                                line("sale.paused", "sale 1"))),
              fine);
    verbs_.sql("UPDATE sales SET state = 'published'");
    EXPECT_THAT(verbs_.check(),
                ElementsAre("sale 1: is published, but its last audit line 1 says paused"));
}

TEST_P(SignedActsContractTest, ALetterThatWasOpenedAgainByHandIsFound) {
    const std::int64_t id = dead_letter(1);
    ASSERT_EQ(
        outcome(book_.letters().discard(
            id, {7}, "no", noon,
            [&](const auto&) { return line("letter.discarded", "letter " + std::to_string(id)); })),
        fine);
    EXPECT_THAT(verbs_.check(), IsEmpty());
    verbs_.sql("UPDATE letters SET state = 'dead'");
    EXPECT_THAT(verbs_.check(), Contains(HasSubstr("but its last audit line 1 says discarded")));
}

TEST_P(SignedActsContractTest, TheBookRemembersOneJournal) {
    EXPECT_EQ(book_.orders().journal_id().value(), 0U);
    EXPECT_EQ(outcome(book_.orders().remember_journal(5)), fine);
    EXPECT_EQ(outcome(book_.orders().remember_journal(5)), fine);
    EXPECT_EQ(outcome(book_.orders().remember_journal(6)), errc::conflict);
    EXPECT_EQ(book_.orders().journal_id().value(), 5U);
}

}  // namespace
}  // namespace floodgate::ledger
