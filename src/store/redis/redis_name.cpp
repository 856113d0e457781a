#include "store/redis/redis_name.hpp"

#include <atomic>
#include <cstring>
#include <netdb.h>
#include <system_error>
#include <thread>

namespace floodgate::store {
namespace {

socket_address look_up(const std::string& host, const std::string& port, int flags) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    socket_address out;
    if (::getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) return out;
    std::memcpy(&out.where, found->ai_addr, found->ai_addrlen);
    out.size = found->ai_addrlen;
    ::freeaddrinfo(found);
    return out;
}

}  // namespace

struct redis_name::answer {
    std::atomic<bool> done = false;
    socket_address found;  // written before `done`
};

redis_name::redis_name(const std::string& address) : answer_(std::make_shared<answer>()) {
    const auto colon = address.rfind(':');
    host_ = address.substr(0, colon);
    port_ = colon == std::string::npos ? "" : address.substr(colon + 1);
    if (host_.size() > 2 && host_.front() == '[') host_ = host_.substr(1, host_.size() - 2);
    answer_->found = look_up(host_, port_, AI_NUMERICHOST);
    numeric_ = answer_->found.size != 0;
    answer_->done = numeric_;
}

void redis_name::ask() {
    if (numeric_) return;
    answer_ = std::make_shared<answer>();
    try {
        std::thread([host = host_, port = port_, to = answer_] {
            to->found = look_up(host, port, 0);
            to->done.store(true, std::memory_order_release);
        }).detach();
    } catch (const std::system_error&) {
        answer_->done = true;  // no thread to be had: not known this time
    }
}

bool redis_name::known() const { return answer_->done.load(std::memory_order_acquire); }

socket_address redis_name::get() const { return answer_->found; }

}  // namespace floodgate::store
