// Opening a journal: every segment is checked, a torn tail is removed, and the end of the line is
// made safe to append to.

#pragma once

#include "journal/writer.hpp"

namespace floodgate::journal {

// Throws std::runtime_error if there is no such directory, but the ledger had a journal. To be
// called before make_directory: an empty directory would be in the way of the journal that is put
// back.
void expect_directory(store::file_system& files, const std::string& directory,
                      const expectation& of);

// Makes the directory, and makes its name survive a crash. Throws std::runtime_error.
void make_directory(store::file_system& files, const std::string& directory);

// The caller has made the directory and holds its lock. Fills `index`; `maker` adopts the id of an
// existing journal. Throws std::runtime_error with one clear line: damage with file and offset, a
// journal that is not what the ledger expects, or a disk that fails.
line_end recover(store::file_system& files, segment_maker& maker, segment_index& index,
                 const expectation& of);

}  // namespace floodgate::journal
