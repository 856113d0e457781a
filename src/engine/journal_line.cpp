#include "engine/journal_line.hpp"

#include <cstdio>
#include <cstdlib>

#include "base/log.hpp"

namespace floodgate::engine {
namespace {

// When a promise cannot be made durable, the process ends at once, without unwinding or retry.
[[noreturn]] void die(const std::string& reason) {
    log::error("engine.failed", "reason", reason);
    log::stop();
    std::fprintf(stderr, "floodgate: %s\n", reason.c_str());
    std::_Exit(1);
}

}  // namespace

journal_line::journal_line(const world& w, const clerk::options& o, sale::sequence entered)
    : journal_(w.journal),
      sink_(w.book, sale::journal_line, w.clock),
      between_(w.book, w.journal, [this] { return journal_.appended(); }),
      clerk_({w.journal, sink_, w.gate, w.clock, w.node}, o, entered, die) {}

void journal_line::start() {
    journal_.start(die);
    clerk_.start();
}

void journal_line::stop() {
    clerk_.stop();
    journal_.stop();
}

}  // namespace floodgate::engine
