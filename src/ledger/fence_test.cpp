// A node that has lost a task to another node can no longer write.

#include <set>
#include <thread>

#include "base/eventually.hpp"
#include "ledger/fenced_database.hpp"
#include "ledger/ledger_fixture.hpp"

namespace floodgate::ledger {
namespace {

using testing::IsEmpty;

class FenceContractTest : public LedgerContractTest {
protected:
    // The ledger of a node that holds the fence `held`.
    std::unique_ptr<ledger> node(std::optional<fence>& held) {
        return std::make_unique<ledger>(fenced(verbs_.db(), [&held] { return held; }));
    }
    // Does not use innodb_trx, which is not refreshed while it is read more than ten times a
    // second.
    bool something_waits_for_a_lock() {
        const auto c = verbs_.db().reader();
        auto rows = c->ask("SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'");
        std::string name, count;
        if (rows.next()) rows.read(name, count);
        return !count.empty() && count != "0";
    }

    sale::sale_id sale_ = verbs_.add_sale();
    const std::string name_ = "clerk 3";
};
INSTANTIATE_TEST_SUITE_P(Over, FenceContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(FenceContractTest, NumbersRiseByNameAndAreNeverGivenTwice) {
    EXPECT_EQ(book_.fences().raise("a").value(), 1U);
    EXPECT_EQ(book_.fences().raise("a").value(), 2U);
    EXPECT_EQ(book_.fences().raise("b").value(), 1U);
    EXPECT_EQ(outcome(book_.fences().raise("")), errc::invalid);
    EXPECT_EQ(outcome(book_.fences().raise(std::string(65, 'n'))), errc::invalid);
    std::vector<std::uint64_t> got(20);
    {
        std::vector<std::jthread> nodes;
        for (std::size_t i = 0; i < got.size(); i += 5)
            nodes.emplace_back([&, i] {
                for (std::size_t k = i; k < i + 5; ++k)
                    got[k] = book_.fences().raise("shared").value();
            });
    }
    EXPECT_EQ(std::set(got.begin(), got.end()).size(), got.size());
    EXPECT_EQ(*std::ranges::max_element(got), got.size());
}

TEST_P(FenceContractTest, AWriterWhoseFenceWasRaisedIsRefusedAndNothingIsWritten) {
    std::optional<fence> old_fence{{name_, book_.fences().raise(name_).value()}};
    const auto old_node = node(old_fence);
    const std::vector batch{verbs_.promise(sale_, 1)}, late{verbs_.promise(sale_, 2)};
    EXPECT_EQ(old_node->orders().enter(batch, sale::sequence{1}).value().entered, 1U);

    std::optional<fence> new_fence{{name_, book_.fences().raise(name_).value()}};
    const auto new_node = node(new_fence);
    EXPECT_EQ(outcome(old_node->orders().enter(late, sale::sequence{2})), errc::fenced);
    EXPECT_EQ(outcome(old_node->orders().enter_strays(late, noon)), errc::fenced);
    EXPECT_EQ(outcome(old_node->moves().cancel(batch[0].order, batch[0].buyer, noon)),
              errc::fenced);
    EXPECT_EQ(outcome(old_node->letters().put_aside(late[0], sale::sequence{2}, {})), errc::fenced);
    EXPECT_EQ(verbs_.state(late[0]), "absent");
    EXPECT_EQ(verbs_.held(sale_), 1);
    EXPECT_EQ(new_node->orders().enter(late, sale::sequence{2}).value().entered, 1U);
    EXPECT_EQ(outcome(old_node->orders().find(late[0].order)), fine) << "reads pass";
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(FenceContractTest, AChangeOutsideOfATransactionIsFencedToo) {
    std::optional<fence> held{{name_, book_.fences().raise(name_).value()}};
    const auto mine = node(held);
    EXPECT_EQ(outcome(mine->audit().add({})), fine);
    sale::user u;
    u.phone = "13900000000";
    const auto id = mine->users().add(u).value();
    EXPECT_EQ(book_.users().find(u.phone).value().id, id) << "the id survives the commit";
    (void)book_.fences().raise(name_).value();
    EXPECT_EQ(outcome(mine->audit().add({})), errc::fenced);
    EXPECT_EQ(book_.audit().list(0, 10).value().size(), 1U);
}

TEST_P(FenceContractTest, WhoHoldsNoFenceMayOnlyRead) {
    std::optional<fence> held;
    const auto mine = node(held);
    EXPECT_EQ(outcome(mine->orders().enter({}, sale::sequence{1})), errc::fenced);
    EXPECT_EQ(outcome(mine->catalogue().sales()), fine);
    EXPECT_EQ(outcome(mine->tallies().take()), fine);
    held = fence{name_, 1};
    EXPECT_EQ(outcome(mine->orders().enter({}, sale::sequence{1})), errc::fenced)
        << "a fence nobody raised";
    held->number = book_.fences().raise(name_).value();
    EXPECT_EQ(outcome(mine->orders().enter({}, sale::sequence{1})), fine);
}

TEST_P(FenceContractTest, ARaiseWaitsForTheWriteThatIsUnderWay) {
    if (verbs_.db().speaks().for_update.empty()) GTEST_SKIP() << "there is one writer anyway";
    std::optional<fence> held{{name_, book_.fences().raise(name_).value()}};
    const auto fenced_db = fenced(verbs_.db(), [&held] { return held; });
    std::atomic<bool> raised = false;
    std::jthread other;
    {
        const auto c = fenced_db->writer();
        store::transaction t(*c, store::access::write);
        other = std::jthread([&] {
            EXPECT_TRUE(book_.fences().raise(name_));
            raised = true;
        });
        EXPECT_TRUE(eventually([this] { return something_waits_for_a_lock(); }));
        EXPECT_FALSE(raised);
        t.commit();
    }
    other.join();
    EXPECT_TRUE(raised);
}

}  // namespace
}  // namespace floodgate::ledger
