#pragma once

namespace floodgate::commands {

// Waits for SIGINT or SIGTERM, which must be blocked in every thread.
void wait_for_the_end();

}  // namespace floodgate::commands
