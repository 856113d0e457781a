// The files of a backup: copying them, and the list that vouches for them.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace floodgate::commands {

// An open file that stays readable when its name is deleted.
class held_file {
public:
    explicit held_file(const std::string& path);  // throws std::runtime_error
    held_file(held_file&& other) noexcept;
    held_file& operator=(held_file&& other) noexcept;
    ~held_file();

    // Copies it to a new file with mode 0600, from its end to its beginning: of a file that is
    // being appended to, the copy then has a beginning, and not a hole in the middle. Throws
    // std::runtime_error.
    void copy_backwards(const std::string& to) const;

private:
    std::string path_;
    int fd_ = -1;
};

struct listed_file {
    std::string name;  // relative, such as journal/00000000000000000001.journal
    std::uint64_t bytes = 0;
    std::uint32_t crc = 0;

    friend bool operator==(const listed_file&, const listed_file&) = default;
};

// These throw std::runtime_error with one clear line.
listed_file describe(const std::string& directory, const std::string& name);
std::string write_list(const std::vector<listed_file>& files);
std::vector<listed_file> read_list(const std::string& path);
// Copies a file with mode 0600, synced. It must be as the list says, also the copy.
void copy_listed(const listed_file& file, const std::string& from, const std::string& to);
// Makes a directory with mode 0700. An existing one must be empty.
void make_empty_directory(const std::string& path);
void sync_directory(const std::string& path);

}  // namespace floodgate::commands
