#include "guard/sodium.hpp"

#include <sodium.h>

#include <stdexcept>

namespace floodgate::guard {
namespace {

bool started() {
    if (sodium_init() < 0) throw std::runtime_error("libsodium cannot be initialised");
    return true;
}

}  // namespace

void need_sodium() {
    static const bool ready = started();
    static_cast<void>(ready);
}

}  // namespace floodgate::guard
