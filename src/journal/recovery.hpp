// Opening a journal: what is there is checked, a torn tail is removed, and the end of the line is
// made safe to go on from.

#pragma once

#include "journal/writer.hpp"

namespace floodgate::journal {

// The directory, there and with a name that survives a crash. Throws std::runtime_error.
void make_directory(store::file_system& files, const std::string& directory);

// Expects the directory and its lock. Fills `index`. Throws std::runtime_error with one clear line:
// damage with file and offset, a gap between `entered` and what is kept, or a disk that fails.
line_end recover(store::file_system& files, segment_maker& maker, segment_index& index,
                 sale::sequence entered);

}  // namespace floodgate::journal
