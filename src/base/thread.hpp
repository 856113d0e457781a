// What a thread is called, and how it asks for the core.

#pragma once

#include <string>

namespace floodgate {

// The name is shown by top, perf and gdb. It is cut to its first 15 characters.
void name_thread(const std::string& name);

// For threads that work in short bursts while others wait for them. Asks the scheduler for short
// time slices, so that a thread that wakes up gets the core at once instead of after another
// thread's slice (3 ms by default, an eternity beside a sync of 0.1 ms). Needs no privilege; older
// kernels ignore it.
void ask_for_short_slices();

}  // namespace floodgate
