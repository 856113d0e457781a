// For tests: every implementation of the port, empty, and verbs to use it.
//
// The suites named *ContractTest run over each entry of every_accounts(). Each test program with
// these suites says there what it tests: points_test the accounts in this process, commands_test
// those in another one, over HTTP.

#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "points/account_book.hpp"
#include "store/sql/test_databases.hpp"

namespace floodgate::points {

inline const instant noon = from_ms(1'800'000'000'000);

struct accounts_kind {
    std::string name;
    std::function<std::unique_ptr<store::database>(const store::scratch_directory&)> open;
    // How the port's user reaches the book, for example over HTTP. Empty: it is the book itself.
    std::function<std::shared_ptr<accounts>(account_book&)> reach;

    friend std::ostream& operator<<(std::ostream& out, const accounts_kind& k) {
        return out << k.name;
    }
};
std::vector<accounts_kind> every_accounts();
std::string accounts_name(const testing::TestParamInfo<accounts_kind>& info);

// The shortest way to say each call. `noon` is the time of all of them.
class account_verbs {
public:
    explicit account_verbs(accounts& port) : port_(port) {}

    result<try_outcome> spend(std::uint64_t order, std::int64_t user, std::int64_t amount) {
        return port_.try_spend({order}, {user}, {amount}, noon);
    }
    result<try_outcome> earn(std::uint64_t order, std::int64_t user, std::int64_t amount) {
        return port_.try_earn({order}, {user}, {amount}, noon);
    }
    result<void> confirm(std::uint64_t order, kind which = kind::spend) {
        return port_.confirm({order}, which, noon);
    }
    result<void> cancel(std::uint64_t order, kind which = kind::spend) {
        return port_.cancel({order}, which, noon);
    }
    result<void> give_back(std::uint64_t order, std::int64_t user, std::int64_t amount,
                           const std::string& request) {
        return port_.give_back({{order}, {user}, {amount}, request}, noon);
    }
    result<void> grant(std::int64_t user, std::int64_t amount, const std::string& request) {
        return port_.grant({{user}, {amount}, "a gift", {1}, request}, noon);
    }
    // A spend, confirmed.
    void buy(std::uint64_t order, std::int64_t user, std::int64_t amount);
    balance of(std::int64_t user) { return port_.balance_of({user}).value(); }

private:
    accounts& port_;
};

class AccountsContractTest : public testing::TestWithParam<accounts_kind> {
protected:
    // What was done must add up.
    void TearDown() override { EXPECT_THAT(book_.check().value(), testing::IsEmpty()); }

    store::scratch_directory directory_;
    std::unique_ptr<store::database> db_ = GetParam().open(directory_);
    account_book book_{*db_};
    std::shared_ptr<accounts> reached_ = GetParam().reach ? GetParam().reach(book_) : nullptr;
    accounts& port_ = reached_ ? *reached_ : book_;
    account_verbs verbs_{port_};
};

inline constexpr try_outcome reserved{try_answer::reserved, try_state::open};
inline constexpr try_outcome not_enough{try_answer::not_enough, std::nullopt};
inline constexpr try_outcome already_open{try_answer::already, try_state::open};
inline constexpr try_outcome already_confirmed{try_answer::already, try_state::confirmed};
inline constexpr try_outcome cancelled_before{try_answer::cancelled_before, try_state::cancelled};

// Whether a result has this value, or this error.
template <class T>
testing::AssertionResult is(const result<T>& r, const T& value) {
    if (r.has_error()) return testing::AssertionFailure() << r.error().message();
    if (r.value() == value) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "another value";
}
template <class T>
testing::AssertionResult is(const result<T>& r, errc error) {
    if (!r.has_error()) return testing::AssertionFailure() << "it was done";
    if (r.error() == error) return testing::AssertionSuccess();
    return testing::AssertionFailure() << r.error().message();
}

}  // namespace floodgate::points
