// Decides what is to be done with a request, by the table of routes: who sent it, whether it is
// allowed, and where it is answered. Touches no connection, so a test can ask it anything.
//
// It checks the route, the log-in, the limits and the body, in this order. A log-in is looked up
// only if the route needs one.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "api/order_api.hpp"
#include "api/routes.hpp"
#include "guard/addresses.hpp"
#include "guard/unknown_tokens.hpp"
#include "http/connection.hpp"

namespace floodgate::http {

// For a handler that may block.
struct pool_job {
    api::handler work = nullptr;
    api::opener first = nullptr;  // instead of `work`
    api::pool where = api::pool::general;
    api::call call;
};

// The client wants to wait until its order changes.
struct order_question {
    sale::order_no order;
    sale::user_id buyer;
    api::order_wait wait;
    pool_job otherwise;  // when it cannot wait
};

// The client wants a WebSocket.
struct socket_question {
    std::string ticket;
    std::optional<std::int64_t> since;  // the last event that the client has seen
    guard::security_events::origin from;
    bool live = false;  // it also wants the live view, which is for staff
};

// This node does not know the token, but others may: search_elsewhere(), then decide() again.
struct token_question {
    sale::token_hash hash{};
};

// The reply_to of an attempt is not set yet.
using decision = std::variant<api::reply, sale::attempt, pool_job, order_question, socket_question,
                              token_question>;

// Where the token was looked for. `in_vain`: also elsewhere, but the stores did not answer.
enum class searched : std::uint8_t { here = 1, everywhere, in_vain };

// The loop's thread only, except search_elsewhere().
class request_desk {
public:
    // `at` says which calls this listener answers.
    request_desk(api::services& with, const guard::trusted_proxies& proxies,
                 guard::unknown_tokens& unknown, api::door at = api::door::everything)
        : with_(with),
          proxies_(proxies),
          unknown_(unknown),
          door_(at),
          access_(with.access.lists()) {}

    decision decide(const request& r, const remote& peer, api::language lang, instant now,
                    searched where = searched::here);

    // How many bytes of the announced body decide() will need. 0: none, because the request is
    // refused whatever the body says.
    std::size_t body_room(const request& head, instant now);

    // Asks the other nodes; a log-in they know is in the sessions afterwards. Any thread; blocks.
    searched search_elsewhere(const sale::token_hash& hash, instant now);

private:
    struct asked;

    std::optional<api::reply> web_page(const request& r) const;
    decision follow(const asked& a);
    // Empty: a key that may make this call was sent.
    std::optional<api::reply> refusal_of_key(asked& a);
    decision unknown_login(const asked& a, const std::optional<sale::token_hash>& hash);
    decision buy(const asked& a);
    decision show_rounds(const asked& a, const api::rounds_list& list);
    static decision show(const asked& a, const api::page& p);
    decision show_sale(const asked& a);
    const api::pages& newest_pages();
    decision metrics(const asked& a);
    decision order(const asked& a);
    decision picture(const asked& a);
    decision socket(const asked& a);
    decision in_pool(const asked& a);
    std::optional<api::reply> body_fault(const asked& a);
    pool_job job_for(const asked& a);

    remote client_of(const asked& a) const;
    guard::security_events::origin origin_of(const asked& a) const;
    void note(guard::security_event what, const asked& a);

    // Empty: not refused.
    std::optional<api::reply> refusal_by_standing(const asked& a);
    std::optional<api::reply> refusal_by_address(const asked& a);
    std::optional<api::reply> refusal_by_user(const asked& a, guard::limit which,
                                              guard::rate_limiter& limiter);
    std::optional<api::reply> refusal_by_failures(const asked& a);
    std::optional<api::reply> refusal_by_budget(const asked& a);
    api::reply too_many(const asked& a, guard::limit which, milliseconds wait);

    api::services& with_;
    const guard::trusted_proxies& proxies_;
    guard::unknown_tokens& unknown_;
    const api::door door_;
    subscription<guard::access_list> access_;
    std::shared_ptr<const api::pages> pages_;
    std::uint64_t pages_version_ = 0;
};

}  // namespace floodgate::http
