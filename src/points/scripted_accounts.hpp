// For tests: accounts that fail, or lose their answer, at a chosen call.

#pragma once

#include <functional>
#include <utility>

#include "points/accounts.hpp"

namespace floodgate::points {

// Hands every call on to real accounts. `before` and `after` are asked at each call: true means
// that it fails there. After the work has been done, only the answer is lost.
class scripted_accounts final : public accounts {
public:
    explicit scripted_accounts(accounts& real) : real_(real) {}

    std::function<bool()> before, after;

    result<try_outcome> try_spend(sale::order_no order, sale::user_id user, sale::points amount,
                                  instant now) override {
        return call([&] { return real_.try_spend(order, user, amount, now); });
    }
    result<try_outcome> try_earn(sale::order_no order, sale::user_id user, sale::points amount,
                                 instant now) override {
        return call([&] { return real_.try_earn(order, user, amount, now); });
    }
    result<void> confirm(sale::order_no order, kind which, instant now) override {
        return call([&] { return real_.confirm(order, which, now); });
    }
    result<void> cancel(sale::order_no order, kind which, instant now) override {
        return call([&] { return real_.cancel(order, which, now); });
    }
    result<void> give_back(const give_back_request& what, instant now) override {
        return call([&] { return real_.give_back(what, now); });
    }
    result<void> grant(const grant_request& what, instant now) override {
        return call([&] { return real_.grant(what, now); });
    }
    result<std::optional<try_state>> state_of(sale::order_no order, kind which) override {
        return call([&] { return real_.state_of(order, which); });
    }
    result<balance> balance_of(sale::user_id user) override {
        return call([&] { return real_.balance_of(user); });
    }
    result<std::vector<log_line>> history(sale::user_id user, std::int64_t from,
                                          std::size_t limit) override {
        return call([&] { return real_.history(user, from, limit); });
    }
    result<std::vector<open_try>> open_tries(kind which, instant older_than,
                                             std::size_t max) override {
        return call([&] { return real_.open_tries(which, older_than, max); });
    }

private:
    template <class Act>
    auto call(Act act) -> decltype(act()) {
        if (before && before()) return errc::store_unavailable;
        auto answer = act();
        if (after && after()) return errc::store_unavailable;
        return answer;
    }

    accounts& real_;
};

}  // namespace floodgate::points
