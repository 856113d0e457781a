// What a thread is called, and how it asks for the core.

#pragma once

#include <string>

namespace floodgate {

// Shown by top, perf and gdb. The first 15 characters count.
void name_thread(const std::string& name);

// For threads that work in short bursts and are waited for: asks the scheduler for short time
// slices, so that a wake-up gets the core at once instead of after another thread's slice (3 ms by
// default, an eternity beside a sync of 0.1 ms). Needs no privilege; older kernels ignore it.
void ask_for_short_slices();

}  // namespace floodgate
