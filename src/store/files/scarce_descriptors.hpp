// For tests: while it lives, this process has no file descriptor left to give.

#pragma once

#include <gtest/gtest.h>

#include <cerrno>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace floodgate::store {

class scarce_descriptors {
public:
    scarce_descriptors() {
        EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &usual_), 0);
        rlimit low = usual_;
        low.rlim_cur = static_cast<rlim_t>(highest() + 3);  // the last two are fillers for certain
        EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
        while (true) {
            const int fd = ::eventfd(0, EFD_CLOEXEC);
            if (fd < 0) break;
            fillers_.push_back(fd);
        }
        EXPECT_EQ(errno, EMFILE);
    }
    ~scarce_descriptors() {
        for (const int fd : fillers_) ::close(fd);
        ::setrlimit(RLIMIT_NOFILE, &usual_);
    }
    scarce_descriptors(const scarce_descriptors&) = delete;
    scarce_descriptors& operator=(const scarce_descriptors&) = delete;

    // One becomes free, as when a buyer hangs up.
    void free_one() {
        ASSERT_FALSE(fillers_.empty());
        ::close(fillers_.back());
        fillers_.pop_back();
    }

private:
    static int highest() {
        int last = 0;
        for (int fd = 0; fd < searched; ++fd)
            if (::fcntl(fd, F_GETFD) >= 0) last = fd;
        return last;
    }
    static constexpr int searched = 4096;

    rlimit usual_{};
    std::vector<int> fillers_;
};

}  // namespace floodgate::store
