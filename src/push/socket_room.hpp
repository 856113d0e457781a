// One loop's WebSockets: to whom they belong, and what each has been told.
//
// The loop's thread only, except make_hello, which the loop sends to a pool.

#pragma once

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "guard/access_list.hpp"
#include "guard/sessions.hpp"
#include "guard/ticket_office.hpp"
#include "push/hello.hpp"
#include "push/web_socket.hpp"

namespace floodgate::push {

class socket_room {
public:
    socket_room(mailroom& from, std::uint32_t loop) : from_(from), loop_(loop) {}
    ~socket_room();
    socket_room(const socket_room&) = delete;
    socket_room& operator=(const socket_room&) = delete;

    // Gives a number for a future socket, which listens from now on. 0: there are too many.
    // `live`: it also wants the live view.
    std::uint64_t reserve(const guard::ticket_holder& whose, bool live = false);
    // Adds the socket with this number. Null: it could not be made.
    void admit(std::uint64_t id, const std::shared_ptr<web_socket>& socket);

    // Sends the first message, then the news that came meanwhile. Empty: the hello could not be
    // made.
    void greet(std::uint64_t id, const std::optional<hello>& first);
    void hear(const sale::order_news& news);

    // The live view, for those who want it. A socket that has not taken the last one yet is passed
    // over: the next has newer figures.
    void show(const web_socket::text& message);

    void close(std::uint64_t id, close_code code, std::string_view why);
    void close_all();  // the server is going away
    void send_away();  // news may have been missed: the clients should connect again
    void cut_all();
    void tick(web_socket::clock::time_point now);  // cuts sockets that did not close in time
    // Closes the sockets whose log-in has ended for any reason. Looks at about a fourth of them, so
    // that many sockets do not hold up the loop. To be called four times a second.
    void end_with_logins(const guard::sessions& logins, const guard::access_list& access,
                         instant now);

    socket_world for_sockets() { return {from_.options().sockets, from_.count(), leaving_}; }

    bool empty() const { return guests_.empty(); }

private:
    struct guest {
        guard::ticket_holder whose;
        std::shared_ptr<web_socket> socket;  // null until it is admitted
        bool live = false;
        bool greeted = false;
        std::int64_t known_event = 0;         // the last one in the hello
        std::vector<sale::order_news> heard;  // before the hello was sent
    };
    void forget(std::uint64_t id);
    std::vector<std::shared_ptr<web_socket>> everybody() const;

    mailroom& from_;
    const std::uint32_t loop_;
    std::map<std::uint64_t, guest> guests_;
    std::unordered_multimap<sale::user_id, std::uint64_t> by_buyer_;
    std::deque<farewell> leaving_;  // earliest first, since all have the same time to close
    std::uint64_t last_id_ = 0;
    std::uint64_t last_checked_ = 0;  // whose log-in was looked at last
};

}  // namespace floodgate::push
