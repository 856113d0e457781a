#include "store/files/descriptor_reserve.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace floodgate::store {
namespace {

int open_uninterrupted(const char* path, int flags, mode_t mode) {
    int opened = -1;
    do {
        opened = ::open(path, flags | O_CLOEXEC, mode);
    } while (opened < 0 && errno == EINTR);
    return opened;
}

bool none_left() { return errno == EMFILE || errno == ENFILE; }

}  // namespace

descriptor_reserve::descriptor_reserve(std::size_t places) : places_(places) {
    kept_.reserve(places_);  // so that closing a file cannot fail
    if (places_ > 0) nothing_ = ::eventfd(0, EFD_CLOEXEC);
    for (std::size_t i = 0; i < places_; ++i) keep_another();
}

descriptor_reserve::~descriptor_reserve() {
    for (const int place : kept_) ::close(place);
    if (nothing_ >= 0) ::close(nothing_);
}

int descriptor_reserve::open(const char* path, int flags, mode_t mode) {
    const int opened = open_uninterrupted(path, flags, mode);
    if (opened >= 0 || !none_left()) return opened;
    const std::scoped_lock held(mutex_);
    return open_in_a_place(path, flags, mode);
}

int descriptor_reserve::open_in_a_place(const char* path, int flags, mode_t mode) {
    while (!kept_.empty()) {
        ::close(kept_.back());
        kept_.pop_back();
        const int opened = open_uninterrupted(path, flags, mode);
        if (opened >= 0) return opened;
        if (none_left()) continue;
        const int why = errno;
        keep_another();  // the place was not needed after all
        errno = why;
        return opened;
    }
    errno = EMFILE;
    return -1;
}

void descriptor_reserve::close(int descriptor) noexcept {
    const std::scoped_lock held(mutex_);
    if (kept_.size() < places_ && ::dup3(nothing_, descriptor, O_CLOEXEC) >= 0) {
        kept_.push_back(descriptor);
    } else {
        ::close(descriptor);
    }
}

void descriptor_reserve::keep_another() {
    const int place = nothing_ < 0 ? -1 : ::fcntl(nothing_, F_DUPFD_CLOEXEC, 0);
    if (place >= 0) kept_.push_back(place);
}

std::size_t descriptor_reserve::kept() const {
    const std::scoped_lock held(mutex_);
    return kept_.size();
}

}  // namespace floodgate::store
