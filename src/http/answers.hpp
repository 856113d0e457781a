// Writes the answers of one loop's connections, and counts them.

#pragma once

#include <boost/json/object.hpp>

#include <array>
#include <string>
#include <utility>

#include "api/reply.hpp"
#include "http/figures.hpp"
#include "http/tally.hpp"
#include "http/wire.hpp"

namespace floodgate::http {

class connection;

class answers {
public:
    // `fixed_lines` are header lines of every answer, each with its line end.
    explicit answers(std::string fixed_lines = {}) : date_(std::move(fixed_lines)) {}

    // What the Date header says from now on.
    void set_time(instant now) { now_ = now; }

    // The answer to the request that is under way on the connection.
    void send(connection& to, const api::reply& r);
    void send(connection& to, api::problem p, boost::json::object extra = {});
    void send_busy(connection& to);  // 503: the client should try again in a moment
    void send(connection& to, const sale::verdict& v);

    // Counts an answer that is not sent from here, or that the client never gets.
    void count(int status) { by_status_[static_cast<std::size_t>(status)].add(); }

    // The bytes of a counted answer after which the connection closes. Good until the next call.
    std::string_view last_words(api::problem p, boost::json::object extra = {});

    void add_to(figures& sum) const;

private:
    std::string bytes_;  // of the answer being made
    date_line date_;
    instant now_;
    std::array<tally, statuses> by_status_;
};

}  // namespace floodgate::http
