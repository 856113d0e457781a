// All sequences of six calls for one order, repeated and in any order, against a small model.

#include <array>
#include <set>
#include <span>

#include "points/accounts_fixture.hpp"

namespace floodgate::points {
namespace {

constexpr std::int64_t granted = 9, price = 5;

enum class call : std::uint8_t {
    try_it = 1,
    confirm,
    cancel,
    give_part,   // 3 of 5
    give_other,  // 4 of 5, with another request number: only one of the two fits
};
constexpr std::int64_t given_by(call c) { return c == call::give_part ? 3 : 4; }

// What must come of it, said as plainly as possible.
struct model {
    enum class state : std::uint8_t { none = 1, open, confirmed, cancelled } is = state::none;
    bool empty_cancel = false;
    std::set<call> given{};

    std::int64_t back() const {
        std::int64_t sum = 0;
        for (const call c : given) sum += given_by(c);
        return sum;
    }
    std::int64_t spent() const { return is == state::confirmed ? price - back() : 0; }
    std::int64_t set_aside() const { return is == state::open ? price : 0; }

    // "fine", or the word for the refusal.
    std::string does(call c) {
        switch (c) {
        case call::try_it:
            if (is == state::cancelled) return "cancelled before";
            if (is != state::none) return is == state::open ? "already open" : "already confirmed";
            is = state::open;
            return "fine";
        case call::confirm:
            if (is == state::none) return "not found";
            if (is == state::cancelled) return "conflict";
            is = state::confirmed;
            return "fine";
        case call::cancel:
            if (is == state::confirmed) return "conflict";
            empty_cancel |= is == state::none;
            is = state::cancelled;
            return "fine";
        default:
            // Nobody is known to have spent anything when the cancel came first.
            if (is == state::none || empty_cancel) return "not found";
            if (is != state::confirmed) return "conflict";
            if (!given.contains(c) && back() + given_by(c) > price) return "conflict";
            given.insert(c);
            return "fine";
        }
    }
};

std::string word(const result<try_outcome>& r) {
    if (r.has_error()) return r.error().message();
    if (*r == reserved) return "fine";
    if (*r == already_open) return "already open";
    if (*r == already_confirmed) return "already confirmed";
    return *r == cancelled_before ? "cancelled before" : "not enough";
}
std::string word(const result<void>& r) {
    if (!r.has_error()) return "fine";
    if (r.error() == errc::not_found) return "not found";
    return r.error() == errc::conflict ? "conflict" : r.error().message();
}

constexpr std::array spend_calls{call::try_it, call::confirm, call::cancel, call::give_part,
                                 call::give_other};
constexpr std::array earn_calls{call::try_it, call::confirm, call::cancel};

class AccountsModelContractTest : public AccountsContractTest {
protected:
    // Runs every sequence of these calls that begins with `first`. Each has an order and an account
    // of its own in one book.
    void run_all(kind which, std::span<const call> alphabet, call first) {
        std::vector<call> calls{first};
        continue_all(which, alphabet, calls);
    }

private:
    void continue_all(kind which, std::span<const call> alphabet, std::vector<call>& begun) {
        if (begun.size() == length()) return run(which, begun);
        for (const call next : alphabet) {
            begun.push_back(next);
            continue_all(which, alphabet, begun);
            begun.pop_back();
            if (HasFatalFailure()) return;
        }
    }
    void run(kind which, const std::vector<call>& calls) {
        const std::int64_t user = ++sequences_;
        verbs_.grant(user, granted, std::to_string(user)).value();
        model expected;
        std::string story;
        for (const call c : calls) {
            story += std::to_string(static_cast<int>(c));
            ASSERT_EQ(really(which, c, user), expected.does(c)) << story;
            compare(which, verbs_.of(user), expected, story);
            if (HasFatalFailure()) return;
        }
    }
    std::string really(kind which, call c, std::int64_t user) {
        const auto order = static_cast<std::uint64_t>(user);
        switch (c) {
        case call::try_it:
            return word(which == kind::spend ? verbs_.spend(order, user, price)
                                             : verbs_.earn(order, user, price));
        case call::confirm: return word(verbs_.confirm(order, which));
        case call::cancel: return word(verbs_.cancel(order, which));
        default:
            return word(
                verbs_.give_back(order, user, given_by(c), std::to_string(static_cast<int>(c))));
        }
    }
    static void compare(kind which, const balance& has, const model& expected,
                        const std::string& story) {
        const auto& [available, reserved, pending] = has;
        ASSERT_GE(available.value, 0) << story;
        if (which == kind::spend) {
            ASSERT_EQ(reserved.value, expected.set_aside()) << story;
            ASSERT_EQ(pending.value, 0) << story;
            ASSERT_EQ(available.value + reserved.value + expected.spent(), granted) << story;
        } else {
            ASSERT_EQ(pending.value, expected.set_aside()) << story;
            ASSERT_EQ(reserved.value, 0) << story;
            ASSERT_EQ(available.value, granted + expected.spent()) << story;
        }
    }
    // Six calls where that takes seconds; a database on a disk gets the short sequences.
    static std::size_t length() { return GetParam().name == "BookOverSqliteMemory" ? 6 : 3; }

    std::int64_t sequences_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Over, AccountsModelContractTest, testing::ValuesIn(every_accounts()),
                         accounts_name);

// One test for each first call, so that they can run side by side.
TEST_P(AccountsModelContractTest, EverySpendThatBeginsWithATryEndsAsTheModelSays) {
    run_all(kind::spend, spend_calls, call::try_it);
}
TEST_P(AccountsModelContractTest, EverySpendThatBeginsWithItsConfirmEndsAsTheModelSays) {
    run_all(kind::spend, spend_calls, call::confirm);
}
TEST_P(AccountsModelContractTest, EverySpendThatBeginsWithItsCancelEndsAsTheModelSays) {
    run_all(kind::spend, spend_calls, call::cancel);
}
TEST_P(AccountsModelContractTest, EverySpendThatBeginsWithItsGiveBackEndsAsTheModelSays) {
    for (const call first : {call::give_part, call::give_other})
        run_all(kind::spend, spend_calls, first);
}
TEST_P(AccountsModelContractTest, EveryEarnEndsAsTheModelSays) {
    for (const call first : earn_calls) run_all(kind::earn, earn_calls, first);
}

}  // namespace
}  // namespace floodgate::points
