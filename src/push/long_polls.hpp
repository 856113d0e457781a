// One loop's long polls: which connection waits for which order to leave which state, until when.
//
// The loop's thread only. A poll first listens, then the present state is looked up, so that a
// change in between is not missed. A method that gives answers also forgets their polls.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "push/mailroom.hpp"

namespace floodgate::push {

class long_polls {
public:
    using steady = std::chrono::steady_clock;

    struct question {
        sale::order_no order;
        sale::user_id buyer;
        sale::order_state status{};  // answered as soon as the order is in another state
        steady::time_point until;
    };
    struct answer {
        std::uint64_t to = 0;  // the connection
        std::string body;
    };

    long_polls(mailroom& from, std::uint32_t loop) : from_(from), loop_(loop) {}
    ~long_polls();
    long_polls(const long_polls&) = delete;
    long_polls& operator=(const long_polls&) = delete;

    // Gives the poll's number; 0: too many wait already. A connection has one poll at a time.
    std::uint64_t begin(std::uint64_t connection, const question& q);
    // Takes the result of the look-up. True: answer with it now. False: the poll waits, or was
    // answered meanwhile.
    bool looked_up(const answer& found, std::uint64_t number, sale::order_state state);
    // The look-up failed. True: answer with the failure.
    bool withdraw(std::uint64_t connection, std::uint64_t number);
    // The connection is gone.
    void forget(std::uint64_t connection);

    std::vector<answer> hear(const sale::order_news& news);
    std::vector<answer> overdue(steady::time_point now);
    // Ends one poll, or all of them. They are answered with what is known, now or after the
    // look-up.
    std::optional<answer> end(std::uint64_t connection);
    std::vector<answer> end_all();

    std::size_t count() const { return polls_.size(); }

private:
    struct poll {
        question asked;
        std::uint64_t number = 0;
        std::string body;  // the present state; empty: it is being looked up
    };
    using polls = std::unordered_map<std::uint64_t, poll>;

    polls::iterator erase(polls::iterator which);

    mailroom& from_;
    const std::uint32_t loop_;
    polls polls_;  // by connection
    std::unordered_multimap<sale::order_no, std::uint64_t> by_order_;
    std::uint64_t last_number_ = 0;
};

}  // namespace floodgate::push
