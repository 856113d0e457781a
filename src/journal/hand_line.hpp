// For tests: a journal without threads. The test takes every step itself, so that a run with the
// same steps makes the same file operations.

#pragma once

#include "journal/caretaker.hpp"
#include "journal/recovery.hpp"
#include "journal/test_line.hpp"
#include "journal/writer.hpp"

namespace floodgate::journal {

class hand_line {
public:
    // Opens like the constructor of journal. Throws std::runtime_error when it cannot.
    explicit hand_line(store::file_system& files, sale::sequence entered = {0})
        : maker_(files, made(files), segment_bytes),
          line_(maker_, index_, recover(files, maker_, index_, {entered}), segment_bytes),
          helper_(files, maker_, index_) {
        if (!line_.seal()) throw std::runtime_error(line_.failure());
    }

    sale::sequence append(const sale::promise& p) { return line_.append(p); }
    bool commit() { return line_.commit({}); }
    bool seal() { return line_.seal(); }
    sale::sequence durable() const { return line_.durable(); }
    void trim(sale::sequence entered) {
        helper_.trim(entered);
        helper_.work();
    }
    void prepare_spare() {
        helper_.want_spare();
        helper_.work();
    }

    static constexpr std::uint64_t segment_bytes = 1024;

private:
    static std::string made(store::file_system& files) {
        make_directory(files, test_directory);
        return test_directory;
    }

    segment_index index_;
    segment_maker maker_;
    writer line_;
    caretaker helper_;
};

}  // namespace floodgate::journal
