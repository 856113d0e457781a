// This process, as the system sees it.

#pragma once

namespace floodgate::engine {

struct process_figures {
    double resident_bytes = 0, open_files = 0, cpu_s = 0, started_s = 0;
};

// Reads /proc/self. What cannot be read stays 0.
process_figures read_process();

}  // namespace floodgate::engine
