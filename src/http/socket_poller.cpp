#include "http/socket_poller.hpp"

#include <cerrno>
#include <sys/epoll.h>
#include <system_error>
#include <unistd.h>

namespace floodgate::http {

socket_poller::socket_poller() : fd_(epoll_create1(EPOLL_CLOEXEC)) {
    if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "epoll_create1");
}

socket_poller::~socket_poller() { close(fd_); }

bool socket_poller::add(int fd, std::uint64_t id) {
    epoll_event e{.events = EPOLLIN, .data = {.u64 = id}};
    return epoll_ctl(fd_, EPOLL_CTL_ADD, fd, &e) == 0;
}

bool socket_poller::change(int fd, std::uint64_t id, interest what) {
    epoll_event e{.events = 0, .data = {.u64 = id}};
    if (what.read) e.events |= EPOLLIN;
    if (what.write) e.events |= EPOLLOUT;
    return epoll_ctl(fd_, EPOLL_CTL_MOD, fd, &e) == 0;
}

void socket_poller::remove(int fd) { epoll_ctl(fd_, EPOLL_CTL_DEL, fd, nullptr); }

std::span<const socket_poller::event> socket_poller::poll() {
    epoll_event found[events_max];
    const int count = epoll_wait(fd_, found, events_max, 0);
    for (int i = 0; i < count; ++i) {
        const auto what = found[i].events;
        ready_[i] = {.id = found[i].data.u64,
                     .readable = (what & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0,
                     .writable = (what & EPOLLOUT) != 0};
    }
    return {ready_, static_cast<std::size_t>(count > 0 ? count : 0)};
}

}  // namespace floodgate::http
