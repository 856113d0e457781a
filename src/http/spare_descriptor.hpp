// A descriptor kept back for the moment when there is none left: given up, it lets one waiting
// client be accepted and told so, instead of leaving it without a word.

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
