// The feed: every event once, in order, with numbers that no reader can overtake.

#include <gmock/gmock.h>

#include "ledger/fenced_database.hpp"
#include "ledger/ledger_fixture.hpp"

namespace floodgate::ledger {
namespace {

using testing::ElementsAre;

class FeedContractTest : public LedgerContractTest {
protected:
    // "1 queued>unpaid" ...: what a reader gets after this number.
    std::vector<std::string> read(std::int64_t after = 0, std::size_t limit = 100) {
        std::vector<std::string> out;
        for (const feed_event& e : book_.feed().read(after, limit).value().events)
            out.push_back(e.alert.empty()
                              ? std::to_string(e.no) + " " + to_text(e.from) + ">" + to_text(e.to) +
                                    " of " + std::to_string(e.order.no.value)
                              : std::to_string(e.no) + " " + e.alert);
        return out;
    }
    void number() {
        while (book_.feed().number_some(2).value() > 0) {
        }
    }
    std::string step(const sale::promise& p, const std::string& what) {
        return what + " of " + std::to_string(p.order.value);
    }

    sale::sale_id sale_ = verbs_.add_sale();
};
INSTANTIATE_TEST_SUITE_P(Over, FeedContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(FeedContractTest, EntriesMovesAndAlertsAreNumberedInOrder) {
    const auto a = verbs_.promise(sale_, 1), b = verbs_.promise(sale_, 2),
               again = verbs_.promise(sale_, 1);
    verbs_.enter({a, b});
    EXPECT_TRUE(book_.moves().pay(a.order, "test", noon));
    verbs_.enter({again});  // over the limit
    EXPECT_TRUE(book_.feed().add_alerts({R"({"alert":"disk"})"}, noon));
    EXPECT_TRUE(book_.moves().cancel(b.order, b.buyer, noon));
    EXPECT_THAT(read(), ElementsAre()) << "nothing is shown before it has a number";
    number();
    EXPECT_THAT(read(), ElementsAre(step(a, "1 queued>unpaid"), step(b, "2 queued>unpaid"),
                                    step(a, "3 unpaid>paid"), step(again, "4 queued>failed"),
                                    R"(5 {"alert":"disk"})", step(b, "6 unpaid>closed")));
    EXPECT_THAT(read(1, 2), ElementsAre(step(b, "2 queued>unpaid"), step(a, "3 unpaid>paid")));
    EXPECT_EQ(book_.feed().next().value(), 7);
    const auto page = book_.feed().read(2, 1).value();
    EXPECT_EQ(page.events.at(0).order.method, "test");
    EXPECT_EQ(page.events.at(0).at, noon);
}

TEST_P(FeedContractTest, ABatchThatIsEnteredTwiceIsInTheFeedOnce) {
    const std::vector batch{verbs_.promise(sale_, 1)};
    EXPECT_TRUE(book_.orders().enter(batch, sale::sequence{5}));
    EXPECT_TRUE(book_.orders().enter(batch, sale::sequence{5}));
    EXPECT_TRUE(book_.orders().enter(batch, sale::sequence{6}));
    number();
    EXPECT_THAT(read(), ElementsAre(step(batch[0], "1 queued>unpaid")));
}

TEST_P(FeedContractTest, ALargeBatchTakesSeveralRowsAndLosesNothing) {
    const sale::sale_id big = verbs_.add_sale({.stock = 5000});
    std::vector<sale::promise> batch;
    for (int i = 1; i <= 2500; ++i) batch.push_back(verbs_.promise(big, i));
    verbs_.enter(batch);
    EXPECT_EQ(verbs_.number("SELECT COUNT(*) FROM feed"), 3);
    number();
    std::int64_t seen = 0;
    for (auto page = book_.feed().read(0, 700).value(); !page.events.empty();
         page = book_.feed().read(seen, 700).value())
        for (const feed_event& e : page.events) {
            EXPECT_EQ(e.no, seen + 1);
            EXPECT_EQ(e.order.no, batch[static_cast<std::size_t>(seen)].order);
            seen = e.no;
        }
    EXPECT_EQ(seen, 2500);
}

// The bug that an auto-increment cursor has: a transaction that began early and commits late.
TEST_P(FeedContractTest, ATransactionThatCommitsLateIsNumberedLateAndNotLost) {
    if (verbs_.db().speaks().for_update.empty()) GTEST_SKIP() << "there is one writer anyway";
    const auto early = verbs_.promise(sale_, 1), late = verbs_.promise(sale_, 2);
    {
        const auto c = verbs_.db().writer();
        store::transaction t(*c, store::access::write);
        c->run("INSERT INTO feed (events, kind, at_ms, payload) VALUES (1, 'alert', 1, 'slow')");
        verbs_.enter({early});
        number();
        EXPECT_THAT(read(), ElementsAre(step(early, "1 queued>unpaid")));
        t.commit();
    }
    number();
    EXPECT_THAT(read(1), ElementsAre("2 slow")) << "a reader that has seen 1 gets it";
    verbs_.enter({late});
    number();
    EXPECT_THAT(read(2), ElementsAre(step(late, "3 queued>unpaid")));
}

TEST_P(FeedContractTest, OldRowsAreForgottenAndAReaderBehindThemCanTell) {
    const auto at = noon + std::chrono::hours(1);
    EXPECT_TRUE(book_.feed().add_alerts({"a", "b"}, noon));
    EXPECT_TRUE(book_.feed().add_alerts({"c"}, at));
    EXPECT_EQ(book_.feed().forget(at + std::chrono::hours(9), 10).value(), 0U)
        << "what has no number yet is kept";
    number();
    EXPECT_EQ(book_.feed().forget(at, 1).value(), 1U);
    EXPECT_EQ(book_.feed().forget(at, 10).value(), 1U);
    EXPECT_EQ(book_.feed().forget(at, 10).value(), 0U);
    const auto page = book_.feed().read(0, 10).value();
    EXPECT_EQ(page.first_kept, 3);
    EXPECT_THAT(read(), ElementsAre("3 c"));
    EXPECT_EQ(book_.feed().forget(at + std::chrono::hours(1), 10).value(), 1U);
    EXPECT_TRUE(book_.feed().add_alerts({"d"}, at));
    number();
    EXPECT_THAT(read(3), ElementsAre("4 d")) << "numbers go on although the table was empty";
}

TEST_P(FeedContractTest, ANodeThatLostItsDutyNumbersNothing) {
    std::optional<fence> held{{"timed_jobs", book_.fences().raise("timed_jobs").value()}};
    ledger old_node(fenced(verbs_.db(), [&] { return held; }));
    EXPECT_TRUE(book_.feed().add_alerts({"a"}, noon));
    EXPECT_EQ(book_.fences().raise("timed_jobs").value(), held->number + 1);
    EXPECT_EQ(outcome(old_node.feed().number_some(10)), errc::fenced);
    number();
    EXPECT_THAT(read(), ElementsAre("1 a"));
}

TEST_P(FeedContractTest, WebhooksRememberTheirPlaceUnlessAnAdminMovedIt) {
    auto& hooks = book_.webhooks();
    const auto id =
        hooks.add({.id = 0, .url = "https://shop.example/x", .secret = "s"}, {}).value();
    const webhook w = hooks.find(id).value();
    EXPECT_TRUE(hooks.note_delivered(w, 7));
    EXPECT_EQ(hooks.find(id).value().delivered, 7);
    EXPECT_TRUE(hooks.replay(id, 2, {}));
    EXPECT_TRUE(hooks.note_delivered(w, 9)) << "it was under way when the admin asked for a replay";
    EXPECT_EQ(hooks.find(id).value().delivered, 2);
    EXPECT_TRUE(hooks.rotate(id, "new", noon, {}));
    EXPECT_EQ(hooks.find(id).value().old_secret, "s");
    EXPECT_TRUE(hooks.note_failed(hooks.find(id).value(), noon, noon, true));
    EXPECT_EQ(hooks.find(id).value().state, webhook_state::dead);
    EXPECT_TRUE(hooks.set_state(id, webhook_state::active, {}));
    EXPECT_EQ(hooks.find(id).value().failing_since, instant{});
    for (int i = 0; i < 105; ++i) EXPECT_TRUE(hooks.add_attempt(id, {.at = noon, .status = 200}));
    EXPECT_EQ(hooks.attempts(id, 500).value().size(), webhook_book::attempts_kept);
    EXPECT_TRUE(hooks.remove(id, {}));
    EXPECT_EQ(outcome(hooks.remove(id, {})), errc::not_found);
}

TEST_P(FeedContractTest, AtMostFiftyWebhooks) {
    auto& hooks = book_.webhooks();
    for (std::size_t i = 0; i < webhook_book::webhooks_max; ++i)
        EXPECT_TRUE(hooks.add({.id = 0, .url = "https://shop.example/x", .secret = "s"}, {}));
    EXPECT_EQ(outcome(hooks.add({.id = 0, .url = "u", .secret = "s"}, {})), errc::conflict);
}

}  // namespace
}  // namespace floodgate::ledger
