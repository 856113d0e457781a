#include "commands/end_signal.hpp"

#include <csignal>

namespace floodgate::commands {

void wait_for_the_end() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    int came = 0;
    while (sigwait(&signals, &came) != 0) {
    }
}

}  // namespace floodgate::commands
