#include "store/redis/socket.hpp"

#include <array>
#include <cerrno>
#include <hiredis/hiredis.h>
#include <hiredis/read.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <new>
#include <unistd.h>

namespace floodgate::store {
namespace {

constexpr std::size_t read_chunk = 65536;
constexpr std::size_t keep_buffer_max = std::size_t{1} << 20U;

struct reply_freer {
    void operator()(void* reply) const { freeReplyObject(reply); }
};

}  // namespace

void redis_socket::reader_freer::operator()(redisReader* r) const { redisReaderFree(r); }

redis_socket::~redis_socket() { close(); }

void redis_socket::close() {
    if (fd_ >= 0) ::close(fd_);  // leaves an epoll set by itself
    fd_ = -1;
    reader_.reset();
    out_.clear();
    written_ = 0;
    broken_ = false;
}

int redis_socket::begin_connect(const socket_address& to) {
    close();
    fd_ = ::socket(to.where.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd_ < 0) return errno;
    const int on = 1;
    (void)::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    (void)::setsockopt(fd_, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    reader_.reset(redisReaderCreate());
    if (!reader_) throw std::bad_alloc();
    const int begun = ::connect(fd_, reinterpret_cast<const sockaddr*>(&to.where), to.size);
    return begun != 0 && errno != EINPROGRESS ? errno : 0;
}

int redis_socket::connect_error() const {
    int error = 0;
    socklen_t size = sizeof error;
    return ::getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size) != 0 ? errno : error;
}

bool redis_socket::flush() {
    while (written_ < out_.size() && !broken_) {
        const ssize_t n = ::send(fd_, out_.data() + written_, out_.size() - written_, MSG_NOSIGNAL);
        if (n > 0) {
            written_ += static_cast<std::size_t>(n);
        } else if (errno == EAGAIN) {
            return false;
        } else if (errno != EINTR) {
            broken_ = true;
        }
    }
    if (broken_) return false;
    out_.clear();
    if (out_.capacity() > keep_buffer_max) out_.shrink_to_fit();
    written_ = 0;
    return true;
}

void redis_socket::read() {
    std::array<char, read_chunk> chunk;
    while (!broken_) {
        const ssize_t n = ::recv(fd_, chunk.data(), chunk.size(), 0);
        if (n > 0) {
            const auto size = static_cast<std::size_t>(n);
            if (redisReaderFeed(reader_.get(), chunk.data(), size) != REDIS_OK) broken_ = true;
            if (size < chunk.size()) return;
        } else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
            broken_ = true;
        } else if (errno == EAGAIN) {
            return;
        }
    }
}

bool redis_socket::next(redis_reply& out) {
    if (!reader_) return false;
    void* raw = nullptr;
    if (redisReaderGetReply(reader_.get(), &raw) != REDIS_OK) {
        broken_ = true;
        return false;
    }
    if (raw == nullptr) return false;
    const std::unique_ptr<void, reply_freer> owned(raw);
    out = to_reply(*static_cast<const redisReply*>(raw));
    return true;
}

}  // namespace floodgate::store
