// Receivers of the feed: where its events are sent, how far each has come, and its latest attempts.
//
// Secrets are kept as they are, because they sign what is sent. Whoever reads the database can sign
// messages to the receivers.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "ledger/audit_book.hpp"

namespace floodgate::ledger {

enum class webhook_state : std::uint8_t {
    active = 1,
    paused,  // by an admin
    dead,    // it has refused everything for too long; an admin may resume it
};
const char* to_text(webhook_state s);

struct webhook {
    std::int64_t id = 0;
    std::string url;
    std::string kinds;  // words with commas between them; empty: all events of orders
    webhook_state state = webhook_state::active;
    std::string secret;
    std::string old_secret{};  // valid until old_until, so that a receiver can change over
    instant old_until{};
    std::int64_t delivered = 0;  // the number of the last event that it has taken
    instant created_at{};
    std::int64_t tries = 0;  // in vain, one after the other
    instant failing_since{}, next_try{};
};

struct webhook_attempt {
    std::int64_t id = 0;
    instant at{};
    int status = 0;  // 0: no answer
    milliseconds took{};
    std::int64_t events = 0, last_no = 0;  // how many were sent, and the last one's number
    std::string error{};
};

class webhook_book {
public:
    static constexpr std::size_t webhooks_max = 50;
    static constexpr std::size_t attempts_kept = 100;  // for each webhook

    explicit webhook_book(store::database& db) : db_(db) {}

    result<std::vector<webhook>> all();
    result<webhook> find(std::int64_t id);  // not_found
    // Its id. conflict: there are webhooks_max already.
    result<std::int64_t> add(const webhook& w, const audit_maker<std::int64_t>& signed_by);

    // Acts of admins, each with its audit line; not_found.
    result<void> set_target(std::int64_t id, const std::string& url, const std::string& kinds,
                            const audit_note& line);
    // Resuming forgets the failures.
    result<void> set_state(std::int64_t id, webhook_state to, const audit_note& line);
    // The present secret stays valid until `old_until`.
    result<void> rotate(std::int64_t id, const std::string& secret, instant old_until,
                        const audit_note& line);
    // The next event that is sent is the one after `after`.
    result<void> replay(std::int64_t id, std::int64_t after, const audit_note& line);
    result<void> remove(std::int64_t id, const audit_note& line);

    // What became of an attempt to send the events after w.delivered up to `upto`. Does nothing if
    // an admin has changed the place or the state meanwhile.
    result<void> note_delivered(const webhook& w, std::int64_t upto);
    result<void> note_failed(const webhook& w, instant now, instant next_try, bool dead);
    result<void> add_attempt(std::int64_t id, const webhook_attempt& a);
    result<std::vector<webhook_attempt>> attempts(std::int64_t id, std::size_t limit);

private:
    template <class... Values>
    result<void> change(const char* name, const audit_note& line, std::string_view sql,
                        const Values&... values);

    store::database& db_;
};

}  // namespace floodgate::ledger
