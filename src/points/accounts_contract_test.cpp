// What every implementation of the port must keep.

#include "points/accounts_fixture.hpp"

namespace floodgate::points {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

INSTANTIATE_TEST_SUITE_P(Over, AccountsContractTest, testing::ValuesIn(every_accounts()),
                         accounts_name);

constexpr std::int64_t ann = 7, bob = 8;

TEST_P(AccountsContractTest, AUserWithoutAnAccountHasNothing) {
    EXPECT_EQ(verbs_.of(ann), balance{});
    EXPECT_THAT(port_.history({ann}, 0, 10).value(), IsEmpty());
    EXPECT_TRUE(is(verbs_.spend(1, ann, 1), not_enough));
    EXPECT_EQ(verbs_.of(ann), balance{});
}

TEST_P(AccountsContractTest, ASpendIsSetAsideAndThenSpent) {
    verbs_.grant(ann, 100, "g").value();
    EXPECT_TRUE(is(verbs_.spend(1, ann, 30), reserved));
    EXPECT_EQ(verbs_.of(ann), (balance{{70}, {30}, {0}}));
    EXPECT_TRUE(verbs_.confirm(1));
    EXPECT_EQ(verbs_.of(ann), (balance{{70}, {0}, {0}}));
}

TEST_P(AccountsContractTest, ACancelledSpendIsAvailableAgain) {
    verbs_.grant(ann, 100, "g").value();
    verbs_.spend(1, ann, 30).value();
    EXPECT_TRUE(verbs_.cancel(1));
    EXPECT_EQ(verbs_.of(ann), (balance{{100}, {0}, {0}}));
}

TEST_P(AccountsContractTest, AnEarnIsPromisedAndBecomesAvailableWhenConfirmed) {
    EXPECT_TRUE(is(verbs_.earn(1, ann, 30), reserved));
    EXPECT_EQ(verbs_.of(ann), (balance{{0}, {0}, {30}}));
    EXPECT_TRUE(is(verbs_.spend(2, ann, 1), not_enough)) << "promised points cannot be spent yet";
    EXPECT_TRUE(verbs_.confirm(1, kind::earn));
    EXPECT_EQ(verbs_.of(ann), (balance{{30}, {0}, {0}}));
}

TEST_P(AccountsContractTest, ACancelledEarnIsGone) {
    verbs_.earn(1, ann, 30).value();
    EXPECT_TRUE(verbs_.cancel(1, kind::earn));
    EXPECT_EQ(verbs_.of(ann), balance{});
}

TEST_P(AccountsContractTest, AnOrderMaySpendAndEarnAndTheyDoNotMix) {
    verbs_.grant(ann, 100, "g").value();
    verbs_.spend(1, ann, 30).value();
    EXPECT_TRUE(is(verbs_.earn(1, ann, 5), reserved));
    EXPECT_TRUE(verbs_.confirm(1, kind::spend));
    EXPECT_TRUE(verbs_.cancel(1, kind::earn));
    EXPECT_EQ(verbs_.of(ann), (balance{{70}, {0}, {0}}));
}

TEST_P(AccountsContractTest, ASpendTakesTheLastPointAndNotOneMore) {
    verbs_.grant(ann, 10, "g").value();
    EXPECT_TRUE(is(verbs_.spend(1, ann, 11), not_enough));
    EXPECT_TRUE(is(verbs_.spend(1, ann, 10), reserved)) << "not_enough leaves no trace";
    EXPECT_TRUE(is(verbs_.spend(2, ann, 1), not_enough));
}

TEST_P(AccountsContractTest, ARepeatedTryIsToldItsState) {
    verbs_.grant(ann, 100, "g").value();
    for (const kind which : {kind::spend, kind::earn}) {
        const auto again = [&] {
            return which == kind::spend ? verbs_.spend(1, ann, 30) : verbs_.earn(1, ann, 30);
        };
        EXPECT_TRUE(is(again(), reserved));
        EXPECT_TRUE(is(again(), already_open));
        verbs_.confirm(1, which).value();
        EXPECT_TRUE(is(again(), already_confirmed));
    }
    EXPECT_EQ(verbs_.of(ann), (balance{{100}, {0}, {0}}));
}

TEST_P(AccountsContractTest, ATryThatSaysSomethingElseIsRefused) {
    verbs_.grant(ann, 100, "g").value();
    verbs_.grant(bob, 100, "h").value();
    verbs_.spend(1, ann, 30).value();
    EXPECT_TRUE(is(verbs_.spend(1, ann, 31), errc::already_exists));
    EXPECT_TRUE(is(verbs_.spend(1, bob, 30), errc::already_exists));
    EXPECT_EQ(verbs_.of(ann), (balance{{70}, {30}, {0}}));
    EXPECT_EQ(verbs_.of(bob), (balance{{100}, {0}, {0}}));
}

TEST_P(AccountsContractTest, RepeatedSettlingsChangeNothing) {
    verbs_.grant(ann, 100, "g").value();
    for (const std::uint64_t order : {1U, 2U}) verbs_.spend(order, ann, 30).value();
    for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(verbs_.confirm(1));
        EXPECT_TRUE(verbs_.cancel(2));
    }
    EXPECT_EQ(verbs_.of(ann), (balance{{70}, {0}, {0}}));
}

TEST_P(AccountsContractTest, TheStateOfATryIsToldWithoutChangingIt) {
    const auto state = [&](std::uint64_t order, kind which = kind::spend) {
        return port_.state_of({order}, which).value();
    };
    verbs_.grant(ann, 100, "g").value();
    EXPECT_EQ(state(1), std::nullopt);
    verbs_.spend(1, ann, 30).value();
    EXPECT_EQ(state(1), try_state::open);
    EXPECT_EQ(state(1, kind::earn), std::nullopt);
    verbs_.confirm(1).value();
    EXPECT_EQ(state(1), try_state::confirmed);
    verbs_.cancel(2).value();
    EXPECT_EQ(state(2), try_state::cancelled) << "though nothing was tried";
    EXPECT_TRUE(is(port_.state_of({0}, kind::spend), errc::invalid));
    EXPECT_EQ(verbs_.of(ann), (balance{{70}, {0}, {0}}));
}

TEST_P(AccountsContractTest, ConfirmingWhatWasNeverTriedIsNotFound) {
    EXPECT_TRUE(is(verbs_.confirm(1), errc::not_found));
    EXPECT_TRUE(is(verbs_.confirm(1, kind::earn), errc::not_found));
}

TEST_P(AccountsContractTest, AnEmptyCancelSucceedsAndRefusesTheTryThatComesLate) {
    verbs_.grant(ann, 100, "g").value();
    for (int i = 0; i < 2; ++i) {
        EXPECT_TRUE(verbs_.cancel(1));
        EXPECT_TRUE(verbs_.cancel(1, kind::earn));
        EXPECT_TRUE(is(verbs_.spend(1, ann, 30), cancelled_before));
        EXPECT_TRUE(is(verbs_.earn(1, ann, 30), cancelled_before));
    }
    EXPECT_TRUE(is(verbs_.confirm(1), errc::conflict));
    EXPECT_EQ(verbs_.of(ann), (balance{{100}, {0}, {0}}));
}

TEST_P(AccountsContractTest, ATryAfterACancelThatWasNotEmptyIsRefusedToo) {
    verbs_.grant(ann, 100, "g").value();
    verbs_.spend(1, ann, 30).value();
    verbs_.cancel(1).value();
    EXPECT_TRUE(is(verbs_.spend(1, ann, 30), cancelled_before));
    EXPECT_TRUE(is(verbs_.spend(1, ann, 5), cancelled_before));
    EXPECT_EQ(verbs_.of(ann), (balance{{100}, {0}, {0}}));
}

TEST_P(AccountsContractTest, ASettledTryIsNotSettledTheOtherWay) {
    verbs_.grant(ann, 100, "g").value();
    verbs_.buy(1, ann, 30);
    EXPECT_TRUE(is(verbs_.cancel(1), errc::conflict));
    EXPECT_EQ(verbs_.of(ann), (balance{{70}, {0}, {0}}));
    verbs_.spend(2, ann, 30).value();
    verbs_.cancel(2).value();
    EXPECT_TRUE(is(verbs_.confirm(2), errc::conflict));
    EXPECT_EQ(verbs_.of(ann), (balance{{70}, {0}, {0}}));
}

TEST_P(AccountsContractTest, SpentPointsAreGivenBackInPartsUpToWhatWasSpent) {
    verbs_.grant(ann, 100, "g").value();
    verbs_.buy(1, ann, 30);
    EXPECT_TRUE(verbs_.give_back(1, ann, 10, "r1"));
    EXPECT_TRUE(is(verbs_.give_back(1, ann, 21, "r2"), errc::conflict)) << "20 are left";
    EXPECT_TRUE(verbs_.give_back(1, ann, 20, "r2")) << "the refusal left no trace";
    EXPECT_TRUE(is(verbs_.give_back(1, ann, 1, "r3"), errc::conflict));
    EXPECT_EQ(verbs_.of(ann), (balance{{100}, {0}, {0}}));
}

TEST_P(AccountsContractTest, AGiveBackIsDoneOnceForItsRequestNumber) {
    verbs_.grant(ann, 100, "g").value();
    verbs_.buy(1, ann, 30);
    verbs_.buy(2, ann, 30);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(verbs_.give_back(1, ann, 10, "r"));
    EXPECT_TRUE(is(verbs_.give_back(1, ann, 11, "r"), errc::already_exists));
    EXPECT_EQ(verbs_.of(ann).available, sale::points{50});
    EXPECT_TRUE(verbs_.give_back(2, ann, 10, "r")) << "each order counts its own requests";
    EXPECT_TRUE(verbs_.grant(ann, 5, "r")) << "so do the grants";
    EXPECT_EQ(verbs_.of(ann).available, sale::points{65});
}

TEST_P(AccountsContractTest, OnlyAConfirmedSpendIsGivenBackAndOnlyToItsUser) {
    verbs_.grant(ann, 100, "g").value();
    EXPECT_TRUE(is(verbs_.give_back(1, ann, 1, "r"), errc::not_found));
    verbs_.spend(1, ann, 30).value();
    EXPECT_TRUE(is(verbs_.give_back(1, ann, 1, "r"), errc::conflict)) << "it is open";
    verbs_.spend(2, ann, 30).value();
    verbs_.cancel(2).value();
    EXPECT_TRUE(is(verbs_.give_back(2, ann, 1, "r"), errc::conflict)) << "it was cancelled";
    verbs_.confirm(1).value();
    EXPECT_TRUE(is(verbs_.give_back(1, bob, 1, "r"), errc::not_found)) << "it is another user's";
    verbs_.earn(3, ann, 30).value();
    verbs_.confirm(3, kind::earn).value();
    EXPECT_TRUE(is(verbs_.give_back(3, ann, 1, "r"), errc::not_found)) << "it was earned";
    EXPECT_EQ(verbs_.of(ann), (balance{{100}, {0}, {0}}));
}

TEST_P(AccountsContractTest, AGrantIsMadeOnceForItsRequest) {
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(verbs_.grant(ann, 10, "g"));
    EXPECT_TRUE(is(verbs_.grant(ann, 11, "g"), errc::already_exists));
    EXPECT_TRUE(is(verbs_.grant(bob, 10, "g"), errc::already_exists));
    EXPECT_EQ(verbs_.of(ann).available, sale::points{10});
    EXPECT_EQ(verbs_.of(bob), balance{});
}

TEST_P(AccountsContractTest, AGrantTakesPointsButNeverMoreThanAreAvailable) {
    verbs_.grant(ann, 10, "a").value();
    verbs_.spend(1, ann, 4).value();
    EXPECT_TRUE(is(verbs_.grant(ann, -7, "b"), errc::conflict)) << "four are set aside";
    EXPECT_TRUE(verbs_.grant(ann, -6, "b"));
    EXPECT_TRUE(verbs_.grant(ann, -6, "b")) << "repeated";
    EXPECT_TRUE(is(verbs_.grant(bob, -1, "c"), errc::conflict));
    EXPECT_EQ(verbs_.of(ann), (balance{{0}, {4}, {0}}));
}

TEST_P(AccountsContractTest, AnAccountReceivesNoMoreThanItsLimit) {
    const auto step = amount_max.value;
    for (std::int64_t i = 0; i < total_max.value / step; ++i)
        verbs_.grant(ann, step, "g" + std::to_string(i)).value();
    EXPECT_TRUE(is(verbs_.grant(ann, 1, "more"), errc::conflict));
    EXPECT_TRUE(is(verbs_.earn(1, ann, 1), errc::conflict));
    EXPECT_TRUE(verbs_.grant(ann, -1, "less"));
    EXPECT_TRUE(is(verbs_.earn(1, ann, 1), reserved));
    EXPECT_TRUE(is(verbs_.grant(ann, 1, "more"), errc::conflict)) << "promised points count";
}

TEST_P(AccountsContractTest, ValuesThatMakeNoSenseAreInvalid) {
    const auto above = amount_max.value + 1;
    for (const std::int64_t amount : {std::int64_t{0}, std::int64_t{-1}, above, INT64_MIN}) {
        EXPECT_TRUE(is(verbs_.spend(1, ann, amount), errc::invalid)) << amount;
        EXPECT_TRUE(is(verbs_.earn(1, ann, amount), errc::invalid)) << amount;
        EXPECT_TRUE(is(verbs_.give_back(1, ann, amount, "r"), errc::invalid)) << amount;
    }
    for (const std::int64_t amount : {std::int64_t{0}, above, -above, INT64_MIN})
        EXPECT_TRUE(is(verbs_.grant(ann, amount, "g"), errc::invalid)) << amount;
    for (const std::uint64_t order : {std::uint64_t{0}, UINT64_MAX}) {
        EXPECT_TRUE(is(verbs_.spend(order, ann, 1), errc::invalid));
        EXPECT_TRUE(is(verbs_.earn(order, ann, 1), errc::invalid));
        EXPECT_TRUE(is(verbs_.confirm(order), errc::invalid));
        EXPECT_TRUE(is(verbs_.cancel(order), errc::invalid));
        EXPECT_TRUE(is(verbs_.give_back(order, ann, 1, "r"), errc::invalid));
    }
    for (const std::int64_t user : {0, -1}) {
        EXPECT_TRUE(is(verbs_.spend(1, user, 1), errc::invalid));
        EXPECT_TRUE(is(verbs_.earn(1, user, 1), errc::invalid));
        EXPECT_TRUE(is(verbs_.grant(user, 1, "g"), errc::invalid));
        EXPECT_TRUE(is(port_.balance_of({user}), errc::invalid));
        EXPECT_TRUE(is(port_.history({user}, 0, 1), errc::invalid));
    }
}

TEST_P(AccountsContractTest, KeysAndReasonsHaveAForm) {
    verbs_.grant(ann, 10, "g").value();
    verbs_.buy(1, ann, 5);
    for (const std::string& key : {std::string(), std::string("a b"), std::string("a "),
                                   std::string("积"), std::string(key_bytes_max + 1, 'k')}) {
        EXPECT_TRUE(is(verbs_.grant(ann, 1, key), errc::invalid)) << key;
        EXPECT_TRUE(is(verbs_.give_back(1, ann, 1, key), errc::invalid)) << key;
    }
    EXPECT_TRUE(verbs_.grant(ann, 1, std::string(key_bytes_max, 'k')));
    const auto because = [&](const std::string& reason, std::int64_t by) {
        return port_.grant({{ann}, {1}, reason, {by}, "r"}, noon);
    };
    for (const std::string& reason : {std::string(), std::string("  "), std::string("two\nlines"),
                                      std::string("\xff"), std::string(reason_bytes_max + 1, 'r')})
        EXPECT_TRUE(is(because(reason, 1), errc::invalid)) << reason;
    EXPECT_TRUE(is(because("a gift", 0), errc::invalid)) << "given by nobody";
    EXPECT_TRUE(because(std::string(reason_bytes_max, 'r'), 1));
}

TEST_P(AccountsContractTest, TheHistoryTellsEveryChangeNewestFirstInPages) {
    const auto at = [](int s) { return noon + std::chrono::seconds(s); };
    port_.grant({{ann}, {100}, "生日快乐", {3}, "g"}, at(1)).value();
    verbs_.grant(bob, 1, "h").value();
    port_.try_spend({1}, {ann}, {30}, at(2)).value();
    port_.confirm({1}, kind::spend, at(3)).value();
    port_.give_back({{1}, {ann}, {10}, "r"}, at(4)).value();
    port_.try_earn({2}, {ann}, {5}, at(5)).value();
    port_.cancel({2}, kind::earn, at(6)).value();

    const auto newest = port_.history({ann}, 0, 4).value();
    ASSERT_EQ(newest.size(), 4U);
    const auto rest = port_.history({ann}, newest.back().line, 4).value();
    ASSERT_EQ(rest.size(), 2U);
    EXPECT_THAT(port_.history({ann}, rest.back().line, 4).value(), IsEmpty());

    const auto words = [](const std::vector<log_line>& lines) {
        std::vector<std::string> all;
        all.reserve(lines.size());
        for (const log_line& l : lines) all.emplace_back(to_text(l.what));
        return all;
    };
    EXPECT_THAT(words(newest),
                ElementsAre("earn_cancelled", "earn_tried", "given_back", "spend_confirmed"));
    EXPECT_THAT(words(rest), ElementsAre("spend_tried", "granted"));

    const log_line& granted = rest.back();
    EXPECT_EQ(granted.before, balance{});
    EXPECT_EQ(granted.after, (balance{{100}, {0}, {0}}));
    EXPECT_EQ(granted.reason, "生日快乐");
    EXPECT_EQ(granted.by, sale::user_id{3});
    EXPECT_EQ(granted.order, sale::order_no{0});
    EXPECT_EQ(granted.at, at(1));
    const log_line& given = newest[2];
    EXPECT_EQ(given.before, (balance{{70}, {0}, {0}}));
    EXPECT_EQ(given.after, (balance{{80}, {0}, {0}}));
    EXPECT_EQ(given.order, sale::order_no{1});
    EXPECT_EQ(given.at, at(4));
}

TEST_P(AccountsContractTest, AnswersHaveAtMostAPage) {
    for (std::uint64_t order = 1; order <= page_max + 1; ++order)
        verbs_.earn(order, ann, 1).value();
    EXPECT_EQ(port_.history({ann}, 0, SIZE_MAX).value().size(), page_max);
    EXPECT_EQ(port_.open_tries(kind::earn, never, SIZE_MAX).value().size(), page_max);
}

TEST_P(AccountsContractTest, OpenTriesAreListedOldestFirstUntilTheyAreSettled) {
    verbs_.grant(ann, 100, "g").value();
    const auto minute = [](int m) { return noon + std::chrono::minutes(m); };
    port_.try_spend({1}, {ann}, {10}, minute(3)).value();
    port_.try_spend({2}, {ann}, {2}, minute(1)).value();
    port_.try_spend({5}, {ann}, {10}, minute(2)).value();
    port_.try_spend({3}, {ann}, {10}, minute(0)).value();
    port_.confirm({3}, kind::spend, minute(4)).value();
    port_.cancel({4}, kind::spend, minute(0)).value();

    const auto orders = [&](instant older_than, std::size_t max) {
        std::vector<std::uint64_t> all;
        for (const open_try& t : port_.open_tries(kind::spend, older_than, max).value())
            all.push_back(t.order.value);
        return all;
    };
    EXPECT_THAT(orders(minute(9), 9), ElementsAre(2, 5, 1));
    EXPECT_THAT(orders(minute(9), 2), ElementsAre(2, 5));
    EXPECT_THAT(orders(minute(2), 9), ElementsAre(2)) << "minute 2 itself is not older";
    EXPECT_THAT(orders(minute(1), 9), IsEmpty());

    const open_try first = port_.open_tries(kind::spend, minute(9), 1).value().at(0);
    EXPECT_EQ(first.user, sale::user_id{ann});
    EXPECT_EQ(first.amount, sale::points{2});
    EXPECT_EQ(first.since, minute(1));
}

// Earns stay open until their orders can no longer be refunded, so there may be many.
TEST_P(AccountsContractTest, OpenTriesOfOneKindDoNotHideThoseOfTheOther) {
    for (std::uint64_t order = 1; order <= page_max; ++order) verbs_.earn(order, ann, 1).value();
    verbs_.grant(ann, 100, "g").value();
    port_.try_spend({7}, {ann}, {30}, noon + std::chrono::minutes(1)).value();
    const auto spends = port_.open_tries(kind::spend, never, 9).value();
    ASSERT_EQ(spends.size(), 1U);
    EXPECT_EQ(spends[0].order, sale::order_no{7});
    EXPECT_EQ(spends[0].amount, sale::points{30});
    EXPECT_EQ(port_.open_tries(kind::earn, never, SIZE_MAX).value().size(), page_max);
}

}  // namespace
}  // namespace floodgate::points
