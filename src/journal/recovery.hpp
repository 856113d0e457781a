// Opening a journal: what is there is checked, a torn tail is removed, and the end of the line is
// made safe to go on from.

#pragma once

#include "journal/writer.hpp"

namespace floodgate::journal {

// The directory, there and with a name that survives a crash. Throws std::runtime_error.
void make_directory(store::file_system& files, const std::string& directory);

// Needs the directory and its lock. Fills `index`; the maker adopts the id of the journal that is
// there. Throws std::runtime_error with one clear line: damage with file and offset, a journal that
// is not what the ledger expects, or a disk that fails.
line_end recover(store::file_system& files, segment_maker& maker, segment_index& index,
                 const expectation& of);

}  // namespace floodgate::journal
