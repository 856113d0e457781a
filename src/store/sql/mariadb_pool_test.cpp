// Connections to a real MariaDB: how many, which, and what happens when they are lost.

#include <atomic>
#include <thread>

#include "base/eventually.hpp"
#include "store/sql/mariadb_fixture.hpp"

namespace floodgate::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class MariadbPoolTest : public MariadbDatabaseTest {};

TEST_F(MariadbPoolTest, OneMoreThanAllowedWaitsAndThenIsTold) {
    options_.connections_max = 2;
    options_.io_timeout = std::chrono::seconds(1);
    {
        const auto db = open();
        const auto first = db->writer(), second = db->reader();
        EXPECT_EQ(failure([&] { db->reader(); }), sql_failure::busy);
    }
    options_.io_timeout = std::chrono::seconds(20);
    const auto db = open();
    auto first = db->writer();
    const auto second = db->reader();
    std::thread later([&] { first.reset(); });
    EXPECT_EQ(number(*db->reader(), "SELECT 7"), 7);
    later.join();
}

TEST_F(MariadbPoolTest, LostConnectionsAreReplacedWithoutOneFailedCall) {
    const auto db = open_with_table();
    {  // five of them, idle
        std::vector<database::lease> all;
        for (int i = 0; i < 5; ++i) {
            all.push_back(db->writer());
            EXPECT_EQ(number(*all.back(), "SELECT 7"), 7);
        }
    }
    end_all_connections();
    std::vector<database::lease> all;
    for (int i = 0; i < 5; ++i) {
        all.push_back(db->writer());
        all.back()->run("INSERT INTO t (word) VALUES ('w')");
    }
    EXPECT_EQ(ids(*db->reader()).size(), 5U);
}

TEST_F(MariadbPoolTest, InsideATransactionALostConnectionIsAFailureAndTheNextWorks) {
    const auto db = open_with_table();
    EXPECT_EQ(failure([&] {
                  const auto c = db->writer();
                  transaction t(*c, access::write);
                  c->run("INSERT INTO t (id) VALUES (1)");
                  end_all_connections();
                  c->run("INSERT INTO t (id) VALUES (2)");
                  t.commit();
              }),
              sql_failure::other);
    EXPECT_THAT(ids(*db->reader()), IsEmpty());
    db->writer()->run("INSERT INTO t (id) VALUES (3)");
    EXPECT_THAT(ids(*db->reader()), ElementsAre(3));
}

TEST_F(MariadbPoolTest, AServerThatDoesNotAnswerIsBusyBeforeLong) {
    options_.io_timeout = std::chrono::seconds(1);
    const auto db = open();
    const auto before = std::chrono::steady_clock::now();
    EXPECT_EQ(failure([&] { number(*db->reader(), "SELECT SLEEP(20)"); }), sql_failure::busy);
    EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(15));
    EXPECT_EQ(number(*db->reader(), "SELECT 7"), 7) << "on a new connection";
}

TEST_F(MariadbPoolTest, TheNextAddressIsTriedWhenOneDoesNotAnswer) {
    mariadb_options two = options_;
    two.addresses.insert(two.addresses.begin(), "127.0.0.1:1");
    EXPECT_EQ(number(*open_mariadb(two)->reader(), "SELECT 7"), 7);
}

TEST_F(MariadbPoolTest, WhatIsWrongAtStartIsOneClearLine) {
    mariadb_options wrong = options_;
    wrong.addresses = {"127.0.0.1:1"};
    EXPECT_THAT(refusal(wrong), HasSubstr("nobody answers at 127.0.0.1:1"));
    wrong.addresses = {"127.0.0.1"};
    EXPECT_THAT(refusal(wrong), HasSubstr("not HOST:PORT"));
    wrong.addresses.clear();
    EXPECT_THAT(refusal(wrong), HasSubstr("no address"));
    wrong = options_;
    wrong.password = "very-secret";
    EXPECT_THAT(refusal(wrong), HasSubstr("wrong user or password"));
    EXPECT_THAT(refusal(wrong), Not(HasSubstr("very-secret")));
    wrong = options_;
    wrong.database = "a`b";
    EXPECT_THAT(refusal(wrong), HasSubstr("name"));
}

TEST_F(MariadbPoolTest, AUserWhoMayNotCreateTheDatabaseIsTold) {
    const auto db = open();
    const std::string user = "u" + std::to_string(std::random_device{}());
    db->writer()->execute("CREATE USER " + user + " IDENTIFIED BY 'pw'");
    mariadb_options theirs = options_;
    theirs.user = user;
    theirs.password = "pw";
    theirs.database = options_.database + "x";
    EXPECT_THAT(refusal(theirs), HasSubstr(theirs.database));
    db->writer()->execute("DROP USER " + user);
}

TEST_F(MariadbPoolTest, ItSaysHowDurableItIs) {
    EXPECT_THAT(open()->durability(), testing::MatchesRegex("(mariadb|mysql) [0-9.]+ innodb_flush_"
                                                            "log_at_trx_commit=[0-2] sync_binlog="
                                                            "(off|[0-9]+) doublewrite=(on|off).*"));
}

TEST_F(MariadbPoolTest, OnlyOneChangesTheSchemaAtATime) {
    const auto mine = open(), theirs = open();
    std::atomic<bool> given_back = false, early = false;
    auto first = mine->migrator();
    std::thread other([&] {
        const auto second = theirs->migrator();
        early = !given_back;
    });
    const auto spectator = open();
    EXPECT_TRUE(eventually([&] {
        return number(*spectator->reader(),
                      "SELECT COUNT(*) FROM information_schema.processlist "
                      "WHERE state = 'User lock'") > 0;
    })) << "the other one waits";
    given_back = true;
    first.reset();
    other.join();
    EXPECT_FALSE(early);
}

}  // namespace
}  // namespace floodgate::store
