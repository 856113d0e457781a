#include "ledger/audit_chain.hpp"

#include "ledger/ledger_fixture.hpp"

namespace floodgate::ledger {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class AuditChainTest : public LedgerContractTest {
protected:
    void act(int from, int to) {
        for (int i = from; i <= to; ++i)
            ASSERT_EQ(outcome(book_.audit().add({.at = noon + milliseconds(i),
                                                 .who = {1},
                                                 .action = "staff.role_changed",
                                                 .subject = "user " + std::to_string(i),
                                                 .details = "{}",
                                                 .address = "192.0.2.1"})),
                      fine);
    }
    std::size_t seal() { return book_.audit().seal(100).value(); }
    void tamper(const std::string& sql) { book_.database().writer()->run(sql); }
    std::vector<std::string> found() {
        findings all;
        const auto c = book_.database().reader();
        inspect_audit_chain(*c, all);
        return all;
    }
};
INSTANTIATE_TEST_SUITE_P(Over, AuditChainTest, testing::ValuesIn(databases()), name_of);

TEST_P(AuditChainTest, IsSoundHoweverManyLinesAreSealedAtOnce) {
    EXPECT_THAT(found(), IsEmpty());
    act(1, 5);
    EXPECT_THAT(found(), IsEmpty()) << "not sealed yet";
    EXPECT_EQ(book_.audit().seal(3).value(), 3U);
    EXPECT_EQ(book_.audit().seal(3).value(), 2U);
    EXPECT_EQ(seal(), 0U);
    EXPECT_EQ(book_.audit().end_of_chain()->place, 5);
    act(6, 6);
    EXPECT_EQ(seal(), 1U);
    EXPECT_THAT(found(), IsEmpty());
}

TEST_P(AuditChainTest, FindsEveryChangedFieldOfALine) {
    act(1, 3);
    seal();
    for (const char* field :
         {"subject", "action", "details", "address", "role", "name", "user_id", "at_ms", "hash"}) {
        const std::string number =
            field == std::string("user_id") || field == std::string("at_ms") ? " + 1" : "";
        const auto set = [&](const std::string& value) {
            tamper("UPDATE audit SET " + std::string(field) + " = " + value + " WHERE place = 2");
        };
        set(number.empty() ? "'x'" : field + number);
        EXPECT_FALSE(found().empty()) << field;
        std::string before = "'{}'";
        if (!number.empty()) before = std::string(field) + " - 1";
        if (field == std::string("subject")) before = "'user 2'";
        if (field == std::string("action")) before = "'staff.role_changed'";
        if (field == std::string("address")) before = "'192.0.2.1'";
        if (field == std::string("role") || field == std::string("name")) before = "''";
        if (field == std::string("hash")) break;
        set(before);
        EXPECT_THAT(found(), IsEmpty()) << field;
    }
}

TEST_P(AuditChainTest, FindsARemovedLine) {
    act(1, 3);
    seal();
    tamper("DELETE FROM audit WHERE place = 2");
    EXPECT_THAT(found(), ElementsAre(HasSubstr("1 of its lines are missing")));
}

TEST_P(AuditChainTest, FindsACutOffTail) {
    act(1, 3);
    seal();
    tamper("DELETE FROM audit WHERE place >= 2");
    EXPECT_THAT(found(), ElementsAre(HasSubstr("last lines were removed")));
}

TEST_P(AuditChainTest, FindsAnEndThatWasMovedBack) {
    act(1, 3);
    seal();
    tamper("UPDATE audit_chain SET place = 2");
    EXPECT_THAT(found(), ElementsAre(HasSubstr("recorded end")));
}

TEST_P(AuditChainTest, FindsLinesThatChangedPlaces) {
    act(1, 4);
    seal();
    tamper("UPDATE audit SET place = 9 WHERE place = 2");
    tamper("UPDATE audit SET place = 2 WHERE place = 3");
    tamper("UPDATE audit SET place = 3 WHERE place = 9");
    EXPECT_FALSE(found().empty());
}

TEST_P(AuditChainTest, FindsAnInsertedLine) {
    act(1, 3);
    seal();
    tamper(
        "INSERT INTO audit (at_ms, user_id, action, subject, details, address, place, hash) "
        "VALUES (1, 1, 'a', 's', '{}', '', 4, 'abc')");
    EXPECT_FALSE(found().empty());
    tamper("DELETE FROM audit WHERE place = 4");
    EXPECT_THAT(found(), IsEmpty());
    tamper(
        "INSERT INTO audit (at_ms, user_id, action, subject, details, address) "
        "VALUES (1, 1, 'a', 's', '{}', '')");
    EXPECT_THAT(found(), ElementsAre(HasSubstr("it was inserted")));
}

TEST_P(AuditChainTest, LinesSayWhatTheirAuthorWasAtThatTime) {
    const auto id = book_.users().add({.phone = "10000",
                                       .nickname = "Ann",
                                       .password_hash = "h",
                                       .role = sale::role::support,
                                       .created_at = noon});
    ASSERT_TRUE(id);
    ASSERT_TRUE(book_.audit().add(
        {.at = noon, .who = *id, .action = "a", .subject = "s", .details = "{}"}));
    const auto lines = book_.audit().list(0, 1).value();
    EXPECT_EQ(lines.at(0).role, "support");
    EXPECT_EQ(lines.at(0).name, "Ann");
}

TEST_P(AuditChainTest, LinesAreFoundByPersonSubjectActionAndTime) {
    act(1, 5);
    const auto count = [&](const audit_filter& f) {
        return book_.audit().list(f, 0, 100).value().size();
    };
    EXPECT_EQ(count({}), 5U);
    EXPECT_EQ(count({.who = {1}}), 5U);
    EXPECT_EQ(count({.who = {2}}), 0U);
    EXPECT_EQ(count({.subject = "user 3"}), 1U);
    EXPECT_EQ(count({.action = "staff.role_changed"}), 5U);
    EXPECT_EQ(count({.action = "staff"}), 0U);
    EXPECT_EQ(count({.from = noon + milliseconds(2), .to = noon + milliseconds(4)}), 2U);
}

}  // namespace
}  // namespace floodgate::ledger
