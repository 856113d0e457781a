// Finds the sockets that are ready: a level-triggered epoll set nested in the event loop's own.
//
// Asio would wait for each socket with an operation of its own. Here one wait covers all plain
// connections and gives everything that is ready at once. That is a turn of the loop: the attempts
// to buy that arrive in one turn are judged, written and synced together. docs/adr/0002: the
// purchase path gains most from this and from the absence of thread switches.

#pragma once

#include <cstdint>
#include <span>

namespace floodgate::http {

class socket_poller {
public:
    struct event {
        std::uint64_t id;
        bool readable;
        bool writable;
    };

    socket_poller();  // throws std::system_error
    ~socket_poller();
    socket_poller(const socket_poller&) = delete;
    socket_poller& operator=(const socket_poller&) = delete;

    struct interest {
        bool read = true;
        bool write = false;
    };
    // Each gives false when the kernel refuses (out of memory or watches).
    bool add(int fd, std::uint64_t id);
    bool change(int fd, std::uint64_t id, interest what);
    void remove(int fd);

    // The sockets that are ready now, at most 512; does not wait. Valid until the next call.
    std::span<const event> poll();

    // Readable when a socket is ready; the outer loop waits for it.
    int native_handle() const { return fd_; }

private:
    static constexpr int events_max = 512;
    int fd_;
    event ready_[events_max];
};

}  // namespace floodgate::http
