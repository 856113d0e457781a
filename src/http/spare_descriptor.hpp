// A descriptor kept for the moment when none is left. Giving it up makes it possible to accept one
// waiting client and tell it to try again, instead of leaving it without an answer.

#pragma once

#include <fcntl.h>
#include <unistd.h>

namespace floodgate::http {

class spare_descriptor {
public:
    spare_descriptor() { take_back(); }
    ~spare_descriptor() { give_up(); }
    spare_descriptor(const spare_descriptor&) = delete;
    spare_descriptor& operator=(const spare_descriptor&) = delete;

    void give_up() {
        if (fd_ >= 0) close(fd_);
        fd_ = -1;
    }
    // May fail; the next call tries again.
    void take_back() {
        if (fd_ < 0) fd_ = open("/dev/null", O_RDONLY | O_CLOEXEC);
    }

private:
    int fd_ = -1;
};

}  // namespace floodgate::http
