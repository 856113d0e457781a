// File descriptors that are reserved, so that a crowd of connections cannot take the last one away
// from the journal.
//
// Each place is a descriptor that refers to nothing. It is given up when another file must be
// opened and the process has no descriptor left. When a file is closed and a place is missing, its
// descriptor goes back to the reserve without becoming free for others in between.
//
// The one gap: between giving up a place and opening the file, another thread may be faster. Then
// the next place is tried.

#pragma once

#include <cstddef>
#include <mutex>
#include <sys/types.h>
#include <vector>

namespace floodgate::store {

class descriptor_reserve {
public:
    // Keeps fewer places if the process has not got as many.
    explicit descriptor_reserve(std::size_t places);
    ~descriptor_reserve();
    descriptor_reserve(const descriptor_reserve&) = delete;
    descriptor_reserve& operator=(const descriptor_reserve&) = delete;

    // Like open(2), including errno. Any thread.
    int open(const char* path, int flags, mode_t mode);
    // Like close(2), unless a place is missing: then the descriptor is kept. Any thread.
    void close(int descriptor) noexcept;

    std::size_t kept() const;

private:
    int open_in_a_place(const char* path, int flags, mode_t mode);
    void keep_another();

    const std::size_t places_;
    int nothing_ = -1;  // what the places refer to
    mutable std::mutex mutex_;
    std::vector<int> kept_;
};

}  // namespace floodgate::store
