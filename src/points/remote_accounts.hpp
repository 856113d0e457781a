// The accounts in another process, reached over HTTP: the client of service.hpp.
//
// No answer in time, an answer that the service does not give (a proxy's error page), and a refused
// secret are all store_unavailable: what became of the call is unknown, and the caller repeats it.
// The service's own errors arrive as they were.
//
// While the service does not answer, most calls are not made but fail at once: one call every half
// second finds out whether it is back. So a service that hangs does not hold the threads that
// other requests need.

#pragma once

#include <boost/json/object.hpp>

#include <mutex>
#include <string>

#include "base/clock.hpp"
#include "base/failure_log.hpp"
#include "points/accounts.hpp"

namespace floodgate::store {
class http_caller;
struct http_answer;
}  // namespace floodgate::store

namespace floodgate::points {

inline constexpr milliseconds ask_again_after{500};

class remote_accounts final : public accounts {
public:
    struct place {
        std::string url;  // "http://127.0.0.1:8085", with or without a path, without a query
        std::string secret;
    };
    // `by` says how long a call may take. It must outlive this.
    remote_accounts(place where, store::http_caller& by,
                    const monotonic_clock& clock = machine_time);

    result<try_outcome> try_spend(sale::order_no order, sale::user_id user, sale::points amount,
                                  instant now) override;
    result<try_outcome> try_earn(sale::order_no order, sale::user_id user, sale::points amount,
                                 instant now) override;
    result<void> confirm(sale::order_no order, kind which, instant now) override;
    result<void> cancel(sale::order_no order, kind which, instant now) override;
    result<void> give_back(const give_back_request& what, instant now) override;
    result<void> grant(const grant_request& what, instant now) override;
    result<std::optional<try_state>> state_of(sale::order_no order, kind which) override;
    result<balance> balance_of(sale::user_id user) override;
    result<std::vector<log_line>> history(sale::user_id user, std::int64_t before,
                                          std::size_t limit) override;
    result<std::vector<open_try>> open_tries(kind which, instant older_than,
                                             std::size_t max) override;

private:
    // `read` makes the value of a field_reader, or nothing if the answer makes no sense.
    template <class T, class Read>
    result<T> call(const char* path, const boost::json::object& body, Read read);
    result<void> do_it(const char* path, const boost::json::object& body);
    boost::system::error_code error_in(const store::http_answer& a);

    bool may_ask();
    void note_silence(std::string_view why);
    void note_failure(std::string_view why);
    void note_success();

    const place where_;
    store::http_caller& by_;
    const monotonic_clock& clock_;
    std::mutex mutex_;
    failure_log trouble_{log::level::error, "points.remote"};  // guarded by mutex_
    bool silent_ = false;  // the same: the latest call had no answer
    moment ask_again_{};   // the same: of a silent service
};

}  // namespace floodgate::points
