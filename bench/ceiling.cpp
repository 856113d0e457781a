// The ceiling of this machine: reads a request, writes a canned answer, and does nothing else.
// No parsing, no routing, no promise, no disk. One thread, one epoll loop: a real server has to do
// more.
//   ceiling PORT

#include <arpa/inet.h>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <netinet/tcp.h>
#include <string_view>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

constexpr std::string_view answer =
    "HTTP/1.1 202 Accepted\r\nContent-Type: application/json\r\nContent-Length: 52\r\n\r\n"
    R"({"order_no":"1234567890123456789","status":"queued"})";
constexpr int on = 1;

void watch(int poll, int fd) {
    epoll_event event{.events = EPOLLIN, .data = {.fd = fd}};
    epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event);
}

int listen_on(std::uint16_t port) {
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const bool bound = bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    return bound && listen(listener, 4096) == 0 ? listener : -1;
}

void accept_all(int poll, int listener) {
    for (int fd = 0; (fd = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK)) >= 0;) {
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        watch(poll, fd);
    }
}

void serve(int poll, int listener) {
    std::array<epoll_event, 512> ready{};
    std::array<char, 8192> request{};
    for (;;) {
        const int count = epoll_wait(poll, ready.data(), static_cast<int>(ready.size()), -1);
        for (int i = 0; i < count; ++i) {
            const int fd = ready[static_cast<std::size_t>(i)].data.fd;
            if (fd == listener) {
                accept_all(poll, listener);
            } else if (read(fd, request.data(), request.size()) <= 0 ||
                       write(fd, answer.data(), answer.size()) < 0) {
                close(fd);
            }
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    const int port = argc == 2 ? std::atoi(argv[1]) : 0;
    if (port <= 0 || port > 65535) return std::fputs("usage: ceiling PORT\n", stderr), 2;
    const int listener = listen_on(static_cast<std::uint16_t>(port));
    if (listener < 0) return std::perror("ceiling"), 1;
    const int poll = epoll_create1(0);
    watch(poll, listener);
    serve(poll, listener);
}
